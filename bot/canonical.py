"""One work, one name: what tells two addresses of the same thing from addresses of two things.

A name is itself an address, `https://arxiv.org/abs/2504.12285`, and the name of a name is that name. Only
what is certain is taken together: a mirror whose path holds an arXiv id, a publisher's path that holds a DOI.
"""

import re
from collections.abc import Callable
from functools import lru_cache
from urllib.parse import SplitResult, quote, unquote, urlsplit, urlunsplit

Name = str

# ------------------------------------------------------------------------------------------------- tracking

_TRACKING_PREFIXES = ("utm_", "mtm_", "piwik_", "hsa_")
_TRACKING = frozenset(
    "fbclid gclid gclsrc gbraid wbraid dclid gad_source msclkid yclid twclid ttclid igshid igsh li_fat_id "  # noqa: SIM905 (a table of words reads better)
    "mc_cid mc_eid _hsenc _hsmi mkt_tok epik s_cid ck_subscriber_id bsft_clkid bsft_uid rb_clickid __s "
    "trk_contact trk_msg trk_module trk_sid _openstat wickedid ml_subscriber ml_subscriber_hash vero_id "
    "vero_conv oly_anon_id oly_enc_id pk_campaign pk_kwd pk_keyword pk_source pk_medium pk_content "
    "sfmc_id sfmc_activity elqtrackid __twitter_impression ref_src ref_url".split()
)
# These mean something elsewhere: they only track at the sites that are known to use them so.
_TRACKING_AT: dict[str, frozenset[str]] = {
    "x.com": frozenset({"s", "t"}),
    "twitter.com": frozenset({"s", "t"}),
    "mobile.twitter.com": frozenset({"s", "t"}),
    "youtube.com": frozenset({"si", "feature"}),
    "youtu.be": frozenset({"si", "feature"}),
    "open.spotify.com": frozenset({"si"}),
    "linkedin.com": frozenset({"trk", "trackingid", "refid"}),
    "producthunt.com": frozenset({"ref"}),
}
# Of `ref` only the values that newsletters and directories put there: elsewhere it names a branch or a part.
_REFERRER = re.compile(
    r"producthunt|hackernoon|[a-z0-9-]*newsletter[a-z0-9-]*|[a-z0-9.-]+\.(?:com|org|net|io|co|dev)",
    re.IGNORECASE,
)


def without_tracking(url: str) -> str:
    """The address without parameters that only tell who sent the reader; all else to the letter as it was."""
    if "?" not in url:
        return url
    front, _, rest = url.partition("?")
    query, hash_, fragment = rest.partition("#")
    if "#" in front or not (host := _host_of(front)):
        return url
    kept = [pair for pair in query.split("&") if not _tracks(pair, host)]
    if len(kept) == query.count("&") + 1:
        return url
    return front + ("?" + "&".join(kept) if any(kept) else "") + hash_ + fragment


def _host_of(front: str) -> str:
    try:
        return (urlsplit(front).hostname or "").removeprefix("www.")
    except ValueError:
        return ""


def _tracks(pair: str, host: str) -> bool:
    name, _, value = pair.partition("=")
    name = unquote(name).lower()
    if name in _TRACKING or name.startswith(_TRACKING_PREFIXES):
        return True
    return name in _TRACKING_AT.get(host, ()) or (name == "ref" and _is_referrer(unquote(value), host))


def _is_referrer(value: str, host: str) -> bool:
    return "git" not in host and bool(_REFERRER.fullmatch(value))


# ---------------------------------------------------------------------------------------------------- names


@lru_cache(maxsize=8192)
def canonical(url: str) -> Name:
    """The one name of what an address leads to; what is no web address is its own name. Never raises."""
    url = url.strip()
    try:
        parts = urlsplit(url)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            return url
        plain = _plain(parts)
    except (ValueError, UnicodeError):  # no such address can exist: it is called what it is called
        return url
    return next((name for work in _WORKS if (name := work(plain))), urlunsplit(plain))


_WWW = re.compile(r"^(?:www\.)+(?=[^.]+\.[^.])")
_UNRESERVED = re.compile(r"%(2[DE]|3\d|4[1-9A-F]|5[0-9AF]|6[1-9A-F]|7[0-9AE])", re.IGNORECASE)
_STRAY_PERCENT = re.compile(r"%(?![0-9A-Fa-f]{2})")
_ENCODED = re.compile(r"%[0-9A-Fa-f]{2}")
_SPELT = re.compile(r"[A-Za-z0-9/._~=&-]*")  # what most are
_KEPT = "!$%&'()*+,-./:;=?@_~"


def _plain(parts: SplitResult) -> SplitResult:
    """The address spelt as plainly as it can be, by what RFC 3986 (6.2) and every site agree on."""
    authority, path = _authority(parts), _without_dots(_spelt(parts.path)).rstrip("/")
    query = _query(_spelt(parts.query), authority) if parts.query else ""
    return SplitResult("https", authority, path, query, _route(_spelt(parts.fragment)))


def _query(query: str, authority: str) -> str:
    """What is asked for, in one order, without what tracks."""
    plain = without_tracking(f"https://{authority}/?{query}").partition("?")[2]
    return "&".join(sorted(filter(None, plain.split("&"))))


def _authority(parts: SplitResult) -> str:
    host = parts.hostname or ""
    if not host.isascii():
        host = host.encode("idna").decode("ascii")
    host = _WWW.sub("", host.lower().rstrip("."))
    host = f"[{host}]" if ":" in host else host
    usual = parts.port in (None, 443) or (parts.scheme == "http" and parts.port == 80)  # noqa: PLR2004 (the ports of https and http)
    return host if usual else f"{host}:{parts.port}"


def _spelt(part: str) -> str:
    """Percent-encoding where it must be, in capitals, and nowhere else."""
    if _SPELT.fullmatch(part):
        return part
    part = _STRAY_PERCENT.sub("%25", part)
    part = _UNRESERVED.sub(lambda found: chr(int(found[1], 16)), part)
    part = _ENCODED.sub(lambda found: found[0].upper(), part)
    return quote(part, safe=_KEPT, errors="replace")


def _without_dots(path: str) -> str:
    """The path without `.` and `..` (RFC 3986, 5.2.4)."""
    if "/." not in path:
        return path
    kept: list[str] = []
    for segment in path.split("/"):
        if segment == ".." and len(kept) > 1:
            kept.pop()
        elif segment not in (".", ".."):
            kept.append(segment)
    return "/".join(kept)


def _route(fragment: str) -> str:
    """The fragment where it chooses what is shown (`#!/inbox`, `#gid=2`); a place on a page is no page."""
    plain = unquote(fragment)
    shows = plain.startswith(("!", "/")) or ("=" in plain and not plain.startswith(_PLACES))
    return fragment if shows else ""


_PLACES = ("page=", "t=", ":~:", "xtor=")
"""Fragments with a value that are places all the same: of a PDF, a film, a page's words; or that track."""


# ---------------------------------------------------------------------------------------------------- works

_ARXIV_HOSTS = frozenset(
    ("arxiv.org", "export.arxiv.org", "browse.arxiv.org", "ar5iv.org", "ar5iv.labs.arxiv.org", "alphaxiv.org")
)
_ARXIV_ID = (
    r"(?:arxiv[:.])?(?P<id>\d{4}\.\d{4,5}|[a-z]+(?:-[a-z]+)*(?:\.[a-z]{2})?/\d{7})"
    r"(?:v\d{1,3})?(?:\.pdf|\.ps)?"
)
_ARXIV_PATH = re.compile(rf"/(?:abs|pdf|html|format|ps|src|e-print|overview)/{_ARXIV_ID}", re.IGNORECASE)
_ARXIV_DOI = re.compile(rf"10\.48550/{_ARXIV_ID}", re.IGNORECASE)
_ARXIV_CLASS = re.compile(r"\.[a-z]{2}/", re.IGNORECASE)

_DOI = re.compile(r"10\.\d{4,9}/(?!\.)(?:[^\s/]|/(?![./]))*[^\s/]")  # no `/.` or `//`, which paths lose
_IN_DOI = _KEPT.replace("%", "").replace("?", "")
_DOI_PUBLISHERS = (
    "dl.acm.org", "onlinelibrary.wiley.com", "science.org", "pubs.acs.org", "tandfonline.com",
    "journals.sagepub.com", "pnas.org", "journals.aps.org", "ahajournals.org", "nejm.org",
)  # fmt: skip
_DOI_PATH = re.compile(r"/doi/(?:(?:abs|full|pdf|epdf|pdfdirect|epub|reader|book)/)?(10\.\d{4,9}/.+)")
_PREPRINT_PATH = re.compile(r"/content/(?:early/\d{4}/\d\d/\d\d/)?(10\.1101/[\d.]+?)(?:v\d+)?(?:\.[a-z.]+)?")
_NATURE_PATH = re.compile(r"/articles/(s\d{5}-\d{3}-\d{5}-[\dw-z]|nature\d{5})(?:\.pdf)?")


def arxiv_id(url: str) -> str | None:
    """The id without version, `2504.12285` or `math/0309136`, of an address that leads to an arXiv work."""
    name = canonical(url)
    return name.removeprefix(_ARXIV) if name.startswith(_ARXIV) else None


_ARXIV = "https://arxiv.org/abs/"


def _arxiv(parts: SplitResult) -> Name | None:
    found = parts.netloc in _ARXIV_HOSTS and _ARXIV_PATH.fullmatch(unquote(parts.path))
    return _arxiv_name(found["id"]) if found else None


def _arxiv_name(identifier: str) -> Name:
    """The abstract's page; an id of before 2007 is unique without its subject class, `math.GT/0309136`."""
    return _ARXIV + _ARXIV_CLASS.sub("/", identifier.lower())


def _doi(parts: SplitResult) -> Name | None:
    if parts.netloc in ("doi.org", "dx.doi.org"):
        return _doi_name(parts.path.lstrip("/"))
    if parts.netloc in _DOI_PUBLISHERS:
        found = _DOI_PATH.fullmatch(parts.path)
    elif parts.netloc in ("biorxiv.org", "medrxiv.org"):
        found = _PREPRINT_PATH.fullmatch(parts.path)
    else:
        return _nature(parts)
    return _doi_name(found[1]) if found else None


def _nature(parts: SplitResult) -> Name | None:
    found = parts.netloc == "nature.com" and _NATURE_PATH.fullmatch(parts.path)
    return _doi_name(f"10.1038/{found[1]}") if found else None


def _doi_name(doi: str) -> Name | None:
    """A DOI means the same in any case (DOI handbook, 2.4); those that arXiv gives lead to arXiv."""
    doi = unquote(doi).lower()
    if found := _ARXIV_DOI.fullmatch(doi):
        return _arxiv_name(found["id"])
    return f"https://doi.org/{quote(doi, safe=_IN_DOI)}" if _DOI.fullmatch(doi) else None


_TWITTER_STATUS = re.compile(
    r"/(?:[A-Za-z0-9_]{1,15}|i(?:/web)?)/status(?:es)?/(\d+)(?:/(?:photo|video)/\d+)?"
)
_YOUTUBE_ID = re.compile(r"[A-Za-z0-9_-]{11}")


def _tweet(parts: SplitResult) -> Name | None:
    """A post is its number: the name before it may be anybody's."""
    found = parts.netloc in ("x.com", "twitter.com", "mobile.twitter.com") and _TWITTER_STATUS.fullmatch(
        parts.path
    )
    return f"https://x.com/i/status/{found[1]}" if found else None


def _video(parts: SplitResult) -> Name | None:
    fields = [pair for pair in parts.query.split("&") if pair]
    identifier = ""
    if parts.netloc == "youtu.be":
        identifier = parts.path.lstrip("/")
    elif parts.netloc in ("youtube.com", "m.youtube.com") and parts.path == "/watch":
        identifier = next((pair[2:] for pair in fields if pair.startswith("v=")), "")
    return f"https://youtube.com/watch?v={identifier}" if _YOUTUBE_ID.fullmatch(identifier) else None


def _review(parts: SplitResult) -> Name | None:
    """OpenReview's page of a paper and its PDF; a note within the discussion is a thing of its own."""
    found = re.fullmatch(r"id=([A-Za-z0-9_-]+)", parts.query)
    paper = parts.netloc == "openreview.net" and parts.path in ("/forum", "/pdf") and found
    return f"https://openreview.net/forum?id={paper[1]}" if paper else None


def _anthology(parts: SplitResult) -> Name | None:
    found = parts.netloc == "aclanthology.org" and re.fullmatch(
        r"/([\w.-]+?)(?:\.pdf)?", parts.path, re.ASCII
    )
    return f"https://aclanthology.org/{found[1]}" if found else None


_WORKS: tuple[Callable[[SplitResult], Name | None], ...] = (
    _arxiv,
    _doi,
    _tweet,
    _video,
    _review,
    _anthology,
)
