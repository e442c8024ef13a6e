"""What hypothesis draws for the inliner: pages with style sheets of every kind, made to collide.

There are few names, so that rules meet in the same elements; the values are those that parsers differ on.
"""

from hypothesis import strategies as st

SELECTORS = (
    "p", "div", "a", "span", "b", "td", "tr", "tbody", "table", "ul", "li", "html", "body", "*",
    ".a", ".a", ".b", ".b", "#x", "#y", "a:hover", ".a:hover", "#x:hover", "a:focus", "a:link",
    "a:visited", "p:first-child", "li:last-child", ":nth-child(2)", ":nth-of-type(odd)", "span:empty",
    ":root", ":not(.a)", "p:not(:hover)", ":is(p,.b)", ":is(#y,b)", ":where(.a)", ":has(b)", "[title]",
    "[dir=RTL]", "[class~=b]", "p.a", "div.b.c", "td.a", "a.b", "P.A", "p::before", "[data-ogsc]",
)  # fmt: skip
VALUES = {
    "color": ("red", "#0a0", "#00f", "rgb(0 0 0/50%)", "inherit", "bogus", "var(--c)"),
    "background-color": ("#eee", "tan", "transparent", "currentcolor"),
    "background": ("#f00", "linear-gradient(red,blue)", "none"),
    "margin": ("0", "1px 2px", "3px auto", "1em"),
    "margin-left": ("5px", "auto", "-2px"),
    "margin-top": ("4px", "7%"),
    "margin-inline-start": ("6px",),
    "padding": ("1px", "2px 3px 4px", "-1px"),
    "padding-right": ("8px",),
    "font": ("italic 12px/1.5 serif", "bold 14px monospace"),
    "font-size": ("11px", "1.2em", "150%"),
    "font-weight": ("bold", "400"),
    "font-family": ("Arial, sans-serif", '"Times New Roman", serif'),
    "line-height": ("1.4", "20px"),
    "border": ("1px solid red", "none", "2px dashed"),
    "border-top": ("3px solid blue",),
    "border-color": ("green", "#123 #456"),
    "border-left-width": ("5px",),
    "width": ("100px", "50%", "calc(100% - 20px)"),
    "text-decoration": ("underline", "none"),
    "text-align": ("center", "left"),
    "letter-spacing": ("1px", "normal"),
    "opacity": (".5", "1"),
    "--c": ("red", "#123456"),
    "mso-hide": ("all",),
    "COLOR": ("TAN",),
}
CONDITIONS = (
    "@media (max-width:480px)", "@media (max-width:480px)", "@media (prefers-color-scheme: dark)",
    "@media (prefers-color-scheme: dark)", "@media print", "@media screen and (min-width:500px)",
    "@supports (display:grid)", "@layer base", "@scope (.a)",
)  # fmt: skip
WHOLE = (
    "@font-face{font-family:X;src:local(x)}",
    "@keyframes k{from{color:pink;margin:9px}to{color:pink;margin:9px}} .a{animation:k 9s forwards paused}",
)
BLOCKS = (
    "", "", "", "", ' media="screen"', ' media="(max-width:480px)"', ' media="print"',
    ' data-premailer="ignore"', ' type="text/css"', ' type="text/x"',
)  # fmt: skip


def _joined(
    parts: st.SearchStrategy[str], least: int, most: int, between: str = ""
) -> st.SearchStrategy[str]:
    return st.lists(parts, min_size=least, max_size=most).map(between.join)


_declaration = st.sampled_from(sorted(VALUES)).flatmap(
    lambda name: st.builds(
        lambda value, important: f"{name}:{value}{important}",
        st.sampled_from(VALUES[name]),
        st.sampled_from(("", "", "", "", " !important")),
    )
)
_declarations = _joined(_declaration, 1, 4, "; ")
_selector = st.lists(
    st.tuples(st.sampled_from(SELECTORS), st.sampled_from((" ", " ", " > ", " + ", " ~ "))),
    min_size=1,
    max_size=3,
).map(lambda parts: "".join(name.removesuffix("::before") + by for name, by in parts[:-1]) + parts[-1][0])
_selectors = _joined(_selector, 1, 3, ",")
_nested = st.builds(
    lambda selector, declarations, after: f"; {selector} {{{declarations}}} {after}",
    st.sampled_from(("& b", "&:hover", "> span", "&.a", ".c &")),
    _declarations,
    st.just("") | _declarations,
)
_rule = st.builds(
    lambda selectors, declarations, nested: f"{selectors} {{ {declarations}{nested} }}",
    _selectors,
    _declarations,
    st.one_of(*[st.just("")] * 12, _nested),
)
_group = st.builds(
    lambda condition, rules: f"{condition} {{ {rules} }}",
    st.sampled_from(CONDITIONS),
    _joined(_rule, 1, 3, "\n"),
)
sheets = _joined(st.one_of(*[_rule] * 6, *[_group] * 2, st.sampled_from(WHOLE)), 1, 8, "\n")
"""Style sheets."""
_blocks = _joined(
    st.builds(lambda kind, sheet: f"<style{kind}>{sheet}</style>", st.sampled_from(BLOCKS), sheets), 1, 3
)

_attributes = st.builds(
    lambda classes, others, style: f"{classes}{others}{style}",
    st.sampled_from(("", "", ' class="a"', ' class="b"', ' class="c"', ' class="a b"', ' class="b c"')),
    st.sampled_from(("", "", "", "", "", ' id="x"', ' id="y"', " title=t", " dir=rtl")),
    st.one_of(*[st.just("")] * 6, _declarations.map(lambda style: f""" style='{style.replace("'", "")}'""")),
)


def _tag(name: str, content: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    return st.builds(lambda attributes, text: f"<{name}{attributes}>{text}</{name}>", _attributes, content)


_words = st.sampled_from(("text", "one two"))
_link = _words.flatmap(
    lambda word: _attributes.map(lambda some: f'<a href="https://x.example/"{some}>{word}</a>')
)
_text = _joined(st.one_of(_words, _tag("b", _words), _link, _tag("span", _link | _words)), 1, 2)
_cells = _joined(_tag("td", _text), 1, 2)
_table = _tag("table", _joined(_tag("tr", _cells), 1, 2))
_list = _tag("ul", _joined(_tag("li", _text), 1, 2))
_block = st.one_of(_tag("p", _text), _table, _list, _text)
_body = _joined(st.one_of(_block, _tag("div", _joined(st.one_of(_block, _tag("div", _block)), 1, 3))), 1, 3)

pages = st.builds(
    lambda blocks, attributes, body: (
        f"<!DOCTYPE html><html><head><title>t</title>{blocks}</head><body{attributes}>{body}</body></html>"
    ),
    _blocks,
    _attributes,
    _body,
)
"""Whole pages with one to three style blocks."""
