"""Rules about what was meant for the writer, or for a machine, and would stand before readers."""

import re
from collections.abc import Iterator

from bot.checks._material import Material
from bot.checks._passages import HEADINGS, LINES, Kind, Passage, flaw, flaw_at, shown
from bot.checks._rules import Flaw
from bot.models import Severity

# ----------------------------------------------------------------------------------------- notes to oneself

_NOTE = re.compile(
    r"(?<![\w./#@-])(?P<word>(?:(?<!\$)(?:TODO|FIXME|XXX+|TBD|TBA|TBC|tbd))|(?:TK){1,4})(?![\w/%-]|\.\w|['\u2019]s)"
    r"|(?P<small>\[todo\b[^\]\n]{0,80}\]|\(todo\b[^)\n]{0,80}\))"
    r"|(?P<blank>(?<![\w?!])\?{3,}(?=\s+\w)|(?<![\w$])\$?X{2,3}(?:[.,]X+)?\s?(?:%|percent\b|[mb]illion\b))"
)
_OPENS = re.compile(r"(?:^|[\n.!?:;([{\u2014\u2013,*])\s*$")
_CLOSES = re.compile(r"\s*(?:$|[\n:.!?;)\]}(,\u2014\u2013*])")
_SPOKEN_OF = re.compile(
    r"\b(?:an?|the|any|every|each|no|of|your|my|his|her|our|their|this|that|word|called|named|said|says"
    r"|ein|eine|das|die|jedes|un|une|le|les|el|los|il|o)\s*[\"'\u201c\u201e\u2018\u00ab]?$",
    re.IGNORECASE,
)
_THING = re.compile(
    r"\s*[\"'\u201d\u2019\u00bb]?\s*"
    r"(?:apps?|lists?|items?|comments?|managers?|tasks?|files?|trackers?|tags?|notes?|MVC|Liste|Kommentare?)\b"
)
_SIDE = 200
"""Characters on each side of a note that tell what it is."""
_CAPITAL = re.compile(r"\s+[A-Z][a-z]")
_ROMAN = re.compile(r"\b[A-Z]\w+ $")  # Super Bowl XXX


def note(material: Material) -> Iterator[Flaw]:
    """A note to oneself was left in the words: TODO, TK, XXX, FIXME, `[todo …]`, XX%.

    Readers see that the issue was not finished, and nobody knows what should have stood there.
    """
    for passage in material.passages:
        for found in _NOTE.finditer(passage.prose):
            if severity := _how_sure(found, passage):
                fix = "write what belongs here"
                yield flaw_at(material, passage, found.span(), "{0} was left: {1}", fix, severity)


def _how_sure(found: re.Match[str], passage: Passage) -> Severity | None:
    """How certain it is that a word is a note, and not what the sentence speaks of."""
    word, (before, after) = found["word"], _sides(found)
    if not word:
        return Severity.WARNING
    if word.upper() in ("TBD", "TBA", "TBC"):  # what is announced may well be open
        return Severity.HINT
    if (_SPOKEN_OF.search(before) or _THING.match(after)) and word in ("TODO", "FIXME"):
        return None
    if word[0] == "X" and _ROMAN.search(before) and passage.kind is not Kind.TITLE:
        return None
    quoted = passage.kind in (Kind.ENTRY, Kind.LABEL) and bool(before.strip())  # the words of what is linked
    return Severity.ERROR if _is_apart(word, before, after) and not quoted else Severity.WARNING


def _sides(found: re.Match[str]) -> tuple[str, str]:
    """What stands before and after, as far as it matters: a sentence of a megabyte is looked at by parts."""
    before = found.string[max(found.start() - _SIDE, 0) : found.start()]
    return before, found.string[found.end() : found.end() + _SIDE]


def _is_apart(word: str, before: str, after: str) -> bool:
    """Whether it stands by itself, and not as a word of a sentence."""
    opens, closes = bool(_OPENS.search(before)), bool(_CLOSES.match(after))
    if word == "TK":
        return (closes or opens or before.endswith("$")) and not _CAPITAL.match(after)  # TK Maxx
    if word[0] == "X":
        return opens and closes
    return opens or not after.strip() or word.startswith("TK") or bool(re.match(r"\s?[:(]", after))


# ---------------------------------------------------------------------------------------- marks of templates

_TEMPLATE = re.compile(
    r"\{\{[^{}\n]{0,80}\}\}|\{%[^\n%]{0,120}%\}|(?-i:\*?\|[A-Z][A-Z0-9_:]{3,40}\|\*?)|<%[^\n%]{0,80}%>"
    r"|%%\s?[A-Za-z_][\w. ]{0,30}%%"
    r"|(?<!\$)\{(?:first_?name|last_?name|full_?name|name|email|unsubscribe(?:_url)?)\}"
    r"|%(?:(?:FIRST|LAST|FULL|USER)_?)?(?:NAME|EMAIL|ADDRESS|UNSUBSCRIBE\w{0,12}|SUBSCRIBER\w{0,12})%"
    r"|%(?:recipient|subscriber|user|contact)[._]\w{1,30}%|:contentReference\[[^\]\n]{0,40}\]|\u3010\d+\u2020[^\u3011\n]{0,40}\u3011"
    r"|\[(?:insert|fill in|insérer|insertar|inserir|inserire) [^\]\n]{1,80}\]|\[[^\]\[\n]{1,60} einfügen\]"
    r"|\[(?:First|Last|Company|Recipient|Customer|Your (?:first |last |company )?)[ _]?name\]"
    r"|<(?:(?:insert|your) [^>\n]{1,60}|(?:first|last)[ _]?name)>",
    re.IGNORECASE,
)
_LIKELY_TEMPLATE = re.compile(
    r"\$\{[A-Za-z_][\w.]{0,40}\}|\[\[ ?[A-Za-z_][\w.]{0,30} ?\]\]|(?<![\w%])%[A-Z][A-Z_]{2,30}%"
    r"|\[(?:link|name|date|title|url|image|quote|number|your [a-z ]{1,40}|add [a-z ]{1,40}|lien|nom|titre"
    r"|citation needed|enlace|nombre|Name einfügen|Link einfügen)\](?!\()"
    r"|\(insert [^()\n]{1,60} here\)"
)
_ENVIRONMENT = re.compile(
    r"%(?:\w*PATH|APPDATA|LOCALAPPDATA|\w*PROFILE|TE?MP|HOME\w*|WINDIR|SYSTEM\w+|PROGRAM\w+)%"
)


def template_mark(material: Material) -> Iterator[Flaw]:
    """A placeholder of a template or of a mailing program was left: `{{ name }}`, `*|FNAME|*`, `[insert …]`.

    Nothing fills it in: content is never a template, so readers see the very characters.
    """
    fix = "write the words it stands for, or put it between backticks if it is the subject"
    for passage in material.passages:
        prose = passage.prose
        if not any(mark in prose for mark in "{[(%<|"):
            continue
        sure = list(_TEMPLATE.finditer(prose))
        for found in sure:
            yield flaw(material, passage, found[0], f"{shown(found[0])} is not filled in", fix)
        for found in _LIKELY_TEMPLATE.finditer(prose):
            if not _ENVIRONMENT.match(found[0]) and all(
                found.end() <= one.start() or one.end() <= found.start() for one in sure
            ):
                message = f"{shown(found[0])} looks like a placeholder"
                yield flaw(material, passage, found[0], message, fix, Severity.WARNING)


# --------------------------------------------------------------------------------------------------- filler

_FILLER = re.compile(
    r"\blorem ipsum\b(?P<more>[\s,]+dolor)?|\bdolor sit amet\b|\bconsectetur adipiscing\b|\bsed do eiusmod\b"
    r"|\b(?:text|title|description|content|intro|summary|caption|headline|copy) goes here\b"
    r"|\b(?:your|insert|write|enter) (?:text|title|description|content|intro|summary|headline) here\b"
    r"|\bhier (?:steht|kommt) (?:der|Ihr|dein) (?:Text|Titel)\b|\b(?:votre|ton) (?:texte|titre) ici\b"
    r"|\b(?:tu|su) (?:texto|título) aquí\b|\basdf(?:asdf|ghjk?l?)?\b|\bqwertz?u?y?uiop\b",
    re.IGNORECASE,
)


def filler(material: Material) -> Iterator[Flaw]:
    """Text that only fills a space was left: lorem ipsum, “text goes here”.

    It stood for words that were never written.
    """
    for passage in material.passages:
        for found in _FILLER.finditer(passage.prose):
            spoken_of = found[0].lower() == "lorem ipsum"
            yield flaw(
                material,
                passage,
                found[0],
                f"{shown(found[0])} only fills the space",
                "write the text, or delete it",
                Severity.HINT if spoken_of else None,
            )


_MACHINE = re.compile(
    r"(?<![\"\u201c\u2018])\b(?:as an ai (?:language )?model,? I\b|as a large language model,? I\b"
    r"|I(?:'m|\u2019m| am) sorry, but I (?:can(?:no|')t|can\u2019t|cannot) (?:help|assist|access|browse)"
    r"|(?:certainly|sure|of course)[!,] here(?:'s|\u2019s| is| are)\b(?! (?:why|how|where)\b)"
    r"|here(?:'s|\u2019s| is) (?:a|the) revised version\b"
    r"|let me know if you(?:'d|\u2019d| would) like me to\b)",
    re.IGNORECASE,
)


def machine_talk(material: Material) -> Iterator[Flaw]:
    """What a language model says to its user was pasted along: “Certainly! Here is …”.

    Readers think that nobody has read the text before it was sent.
    """
    for passage in material.passages:
        for found in _MACHINE.finditer(passage.prose):
            what = "{0} is what a language model says to its user"
            yield flaw_at(material, passage, found.span(), what, "delete it")


# ----------------------------------------------------------------------------------------- unfinished values

_UNTITLED = frozenset(
    """untitled|title|new issue|new post|new newsletter|draft|test|subject|subject line|preheader|preview text
    |n/a|none|null|undefined|nan|placeholder|no title|your title|issue title|entry title|section title
    |?|??|???|-|--|ohne titel|unbenannt|titel|entwurf|betreff|sans titre|titre|brouillon|sin título
    |título|borrador|senza titolo|titolo|sem título|zonder titel|naamloos|uten tittel
    |без названия|無題|无标题""".replace("\n    ", "").split("|")
)
_DATE_FORM = re.compile(
    r"\b(?:YYYY|JJJJ|AAAA|20XX|MM[-/.]DD|DD[-/.]MM|TT[.]MM|(?:Month|Monat|Mois) (?:D{1,2}|X{1,2}))\b"
    r"|(?:#|\b(?:issue|week|no\.?|nr\.?|kw|woche|edition|vol\.?) )(?:N{1,3}|X{1,3})\b"
    r"|\b\d{4}-\((?:TODO|TBD)",
    re.IGNORECASE,
)
_COPY = re.compile(
    r"(?:copy of|kopie von|copie de|copia de|copia di|cópia de)\s|\(copy(?: \d)?\)$|.*\s\(\d\)$"
    r"|\[(?:draft|test|entwurf|brouillon|borrador)\]|(?:draft|test|entwurf)\s?[:\u2013\u2014]\s",
    re.IGNORECASE,
)
_ANSWER = re.compile(r"(?:re|fwd?|aw|wg|tr|rv)\s?:\s", re.IGNORECASE)
_NUMBERED_COPY = re.compile(r".*\s\(\d\)$")


def unfinished(material: Material) -> Iterator[Flaw]:
    """A title, subject or preheader is still what an editor or a program put there to begin with.

    It is the first thing that readers see of the issue, and in many inboxes the only one.
    """
    for passage in material.passages:
        if (passage.kind in HEADINGS or passage.kind in LINES) and (what := _unfinished(passage)):
            severity = None if passage.kind in LINES else Severity.WARNING
            message = f"{passage.kind}: {shown(passage.words)} {what}"
            yield flaw(material, passage, passage.words, message, f"write the {passage.kind}", severity)


def _unfinished(passage: Passage) -> str:
    words = passage.words.strip()
    if words.casefold().strip(" .:!") in _UNTITLED or words in ("...", "\u2026"):
        return "is no more than a placeholder"
    if _DATE_FORM.search(words):
        return "holds a form where a date or a number belongs"
    if passage.kind in LINES and _COPY.match(words) and not _NUMBERED_COPY.match(words):
        return "is marked as a copy, a draft or a test"
    if passage.kind in (Kind.TITLE, Kind.SUBJECT) and _ANSWER.match(words):
        return "begins like an answer or a forwarded mail"
    return ""


# --------------------------------------------------------------------------------------- marks of Markdown

_MARK = re.compile(
    r"\[[^\]\[\n]{2,80}\]\[\w[\w .:-]{0,40}\]|\[\^[^\]\s]{1,20}\]"
    r"|```+|~~|^#{2,6}\w|^\|.*\|$|(?<!\w)__(?=\w)[^_\n]{1,200}__(?!\w)|(?<![\w`])`[^`\n]{1,80}`|`"
)
_IN_LINES = re.compile(r"\*\*|</?(?:b|i|em|strong|a|br|p|span|div|img|u)\b[^<>\n]{0,200}>", re.IGNORECASE)
_AT_START = re.compile(r"(?:#{1,6}|[-*+])\s|[\u2022\u25cf\u25aa\u25e6]\s?")
_TYPED_BULLET = re.compile(r"[\u2022\u25cf\u25aa\u25e6\u2023]\s?(?=\S)")
_SHORTCODE = re.compile(
    r"(?<![\w:]):(?:tada|rocket|fire|sparkles|warning|heart|eyes|thumbsup|\+1|wave|star2?|bulb|boom|zap|bug|memo"
    r"|books?|link|point_right|white_check_mark|heavy_check_mark|x|robot(?:_face)?|brain|smile|smiley|joy|pray|clap"
    r"|muscle|100|tools|wrench|calendar|mega|loudspeaker|newspaper|trophy|gift|coffee|lock|key|art|package):(?![\w:])"
)


def stray_mark(material: Material) -> Iterator[Flaw]:
    """A mark of Markdown or HTML stays visible in the words: `](`, `[^1]`, a lone backtick, `:tada:`.

    Somewhere a bracket, a blank or a line is missing, so the mark does nothing and is shown.
    """
    for passage in material.passages:
        for found in _marks(passage):
            fix = "close or delete it; between backticks it is shown as it is"
            message = f"{shown(found[0])} stays visible"
            yield flaw(material, passage, found[0].strip(), message, fix)


def _marks(passage: Passage) -> Iterator[re.Match[str]]:
    prose = passage.prose
    if any(mark in prose for mark in "][`_~|#"):
        yield from _MARK.finditer(prose)
    if passage.kind is Kind.PARAGRAPH and (found := _TYPED_BULLET.match(prose)):
        yield found
    if ":" in prose:
        yield from _SHORTCODE.finditer(prose)
    if passage.kind in HEADINGS or passage.kind in LINES:
        yield from _IN_LINES.finditer(prose)
        if found := _AT_START.match(prose):
            yield found
