"""Rules about what is written: leftovers, slips of the pen, and what does not fit the week or the series."""

from bot.checks import Material, Rule
from bot.checks._labels import entry_date, no_such_day, week_label
from bot.checks._leftovers import filler, machine_talk, note, stray_mark, template_mark, unfinished
from bot.checks._passages import bounded
from bot.checks._series import counted, issue_number, no_intro, numbering, same_line, same_text
from bot.checks._structure import bare_heading, no_full_stop, ragged_title
from bot.checks._wording import brackets, broken_off, capitals, doubled_word, punctuation
from bot.models import Severity

_ENTRY = "## A scaling law for cheese\n\n[Paper](https://example.org/cheese)\n\n"
_OTHER = (
    "\n\n## Butter by descent\n\n[Paper](https://example.org/butter)\n\nA pat is softened step by step.\n"
)
_FOUND = "The authors weigh 400 wheels of cheese and find that twice the milk makes twice the wheel.\n"


def _headed(**keys: str) -> str:
    """An issue with these keys in its front matter."""
    head = "".join(f"{key}: {text}\n" for key, text in {"title": "Cheese weekly", **keys}.items())
    return f"---\n{head}---\n\n{_ENTRY}The authors weigh 400 wheels.\n"


_RULES = (
    Rule(
        "writing.note",
        Severity.ERROR,
        note,
        mend="Write what belongs in its place; if it is the subject, put it between backticks.",
        example=f"{_ENTRY}The authors weigh 400 wheels. TODO: what did they find?\n",
    ),
    Rule(
        "writing.template",
        Severity.ERROR,
        template_mark,
        mend="Write the words that it stands for; if it is the subject, put it between backticks.",
        example=f"{_ENTRY}Hello {{{{ first_name }}}}, the authors weigh 400 wheels.\n",
    ),
    Rule(
        "writing.filler",
        Severity.ERROR,
        filler,
        mend="Write the text, or delete the entry.",
        example=f"{_ENTRY}Lorem ipsum dolor sit amet.\n",
    ),
    Rule(
        "writing.machine-talk",
        Severity.WARNING,
        machine_talk,
        mend="Delete the sentence, and read the rest once more.",
        example=f"{_ENTRY}Certainly! Here is a summary: the authors weigh 400 wheels.\n",
    ),
    Rule(
        "writing.unfinished",
        Severity.ERROR,
        unfinished,
        mend="Write the title or the subject that the issue is to have.",
        example=_headed(subject="Copy of Cheese weekly"),
    ),
    Rule(
        "writing.stray-mark",
        Severity.WARNING,
        stray_mark,
        mend="Close the mark or delete it; between backticks it is shown as it is.",
        example=f"{_ENTRY}The authors weigh 400 wheels.[^1]\n",
    ),
    Rule(
        "writing.doubled-word",
        Severity.WARNING,
        doubled_word,
        mend="Delete one of the two.",
        example=f"{_ENTRY}The authors weigh the the wheels.\n",
    ),
    Rule(
        "writing.punctuation",
        Severity.WARNING,
        punctuation,
        mend="Keep one mark, with no blank before it and one behind it.",
        example=f"{_ENTRY}The authors weigh 400 wheels,, and taste them.\n",
    ),
    Rule(
        "writing.brackets",
        Severity.WARNING,
        brackets,
        mend="Close the bracket, or delete it.",
        example=f"{_ENTRY}The authors weigh 400 wheels (of cheese.\n",
    ),
    Rule(
        "writing.broken-off",
        Severity.WARNING,
        broken_off,
        mend="Write the rest of the sentence, or what the colon announces.",
        example=f"{_ENTRY}The authors weigh 400 wheels and\n",
    ),
    Rule(
        "writing.full-stop",
        Severity.HINT,
        no_full_stop,
        mend="Write the rest of the sentence, or the full stop.",
        example="".join(
            f"## Cheese {number}\n\n[Paper](https://example.org/{number})\n\n{text}\n\n"
            for number, text in enumerate((_FOUND, _FOUND, _FOUND, _FOUND.rstrip(".\n")))
        ),
    ),
    Rule(
        "writing.capitals",
        Severity.WARNING,
        capitals,
        mend="Write it in small letters.",
        example=_headed(subject="FOUR HUNDRED WHEELS OF CHEESE"),
    ),
    Rule(
        "writing.ragged-title",
        Severity.WARNING,
        ragged_title,
        mend="Take off the mark at its end, or write the words that are missing.",
        example=f"{_ENTRY.replace('cheese', 'cheese -', 1)}The authors weigh 400 wheels.\n",
    ),
    Rule(
        "writing.bare-heading",
        Severity.WARNING,
        bare_heading,
        mend="Write what belongs below it, or delete it.",
        example=f"{_ENTRY}The authors weigh 400 wheels.\n\n### What they found\n",
    ),
    Rule(
        "writing.numbering",
        Severity.WARNING,
        numbering,
        mend="Number the entries anew, or take the numbers off: the order shows.",
        example=f"{_ENTRY}{_OTHER}".replace("## A ", "## 1. A ").replace("## B", "## 3. B"),
    ),
    Rule(
        "writing.count",
        Severity.WARNING,
        counted,
        mend="Count again, and write the number that is true.",
        example=_headed(subject="Ten papers on cheese"),
    ),
    Rule(
        "writing.same-line",
        Severity.WARNING,
        same_line,
        mend="Say in the subject and the preheader what is in this issue.",
        example={
            "2025-W16.md": _headed(subject="A scaling law for cheese"),
            "2025-W17.md": _headed(subject="A scaling law for cheese"),
        },
    ),
    Rule(
        "writing.same-text",
        Severity.WARNING,
        same_text,
        mend="Write what is new, or delete what was pasted twice.",
        example=f"{_ENTRY}{_FOUND}{_OTHER}\n{_FOUND}",
    ),
    Rule(
        "writing.no-intro",
        Severity.WARNING,
        no_intro,
        mend="Write a sentence or two before the first heading.",
        example={
            f"2025-W{week}.md": f"---\ntitle: Cheese weekly\n---\n\n{intro}{_ENTRY}{_FOUND}"
            for week, intro in ((14, "Spring.\n\n"), (15, "Rain.\n\n"), (16, "Easter.\n\n"), (17, ""))
        },
    ),
    Rule(
        "writing.issue-number",
        Severity.WARNING,
        issue_number,
        mend="Give each issue the number after that of the one before.",
        example={
            "2025-W16.md": _headed(title='"Cheese weekly #41"'),
            "2025-W17.md": _headed(title='"Cheese weekly #41"'),
        },
    ),
    Rule(
        "writing.week-label",
        Severity.WARNING,
        week_label,
        mend="Name the issue's own week, or none.",
        example={"2025-W17.md": _headed(title="Cheese weekly (April 14 - 20)")},
    ),
    Rule(
        "writing.no-such-day",
        Severity.WARNING,
        no_such_day,
        mend="Look at a calendar, and write the day that is meant.",
        example={"2025-W17.md": _headed(preheader="We meet on Friday, April 24, 2025")},
    ),
    Rule(
        "writing.entry-date",
        Severity.WARNING,
        entry_date,
        mend="Write the date on which the entry was collected.",
        example={
            "entries/2025-04-24-cheese.md": "---\ntitle: A scaling law for cheese\ndate: 2025-03-24\n---\n\n"
            "[Paper](https://example.org/cheese)\n\nThe authors weigh 400 wheels.\n"
        },
    ),
)
LOOKS_AT = Material
RULES = bounded(_RULES)
