"""What stands in the place of a message that a correction left out, in the newsletter's own language."""

_WORDS = {
    "en": "This part is no more: the issue was corrected.",
    "ar": "لم يعد هذا الجزء موجودًا: تم تصحيح العدد.",
    "de": "Diesen Teil gibt es nicht mehr: Die Ausgabe wurde berichtigt.",
    "es": "Esta parte ya no existe: el número fue corregido.",
    "fa": "این بخش دیگر وجود ندارد: این شماره تصحیح شد.",
    "fr": "Cette partie n’existe plus : le numéro a été corrigé.",
    "he": "חלק זה כבר אינו קיים: הגיליון תוקן.",
    "it": "Questa parte non c’è più: il numero è stato corretto.",
    "ja": "この部分はなくなりました。この号は訂正されました。",
    "ko": "이 부분은 더 이상 없습니다. 이번 호가 정정되었습니다.",
    "nl": "Dit deel is er niet meer: het nummer is gecorrigeerd.",
    "pl": "Tej części już nie ma: numer został poprawiony.",
    "pt": "Esta parte já não existe: o número foi corrigido.",
    "ru": "Этой части больше нет: выпуск исправлен.",
    "uk": "Цієї частини більше немає: випуск виправлено.",
    "zh": "此部分已不存在：本期已更正。",  # noqa: RUF001 (Chinese)
    "zh-hant": "此部分已不存在：本期已更正。",  # noqa: RUF001 (Chinese)
}
_SAME_WORDS = {"zh-tw": "zh-hant", "zh-hk": "zh-hant", "zh-mo": "zh-hant", "iw": "he"}


def no_more(language: str) -> str:
    """The words in that language (a BCP 47 tag), or else in English."""
    tag = language.lower()
    tag = _SAME_WORDS.get(tag, tag if tag in _WORDS else tag.split("-")[0])
    return _WORDS.get(tag, _WORDS["en"])
