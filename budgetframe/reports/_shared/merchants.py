"""Which names of payees probably mean the same merchant."""

from __future__ import annotations

import re
import unicodedata
from collections import defaultdict
from collections.abc import Iterable
from functools import lru_cache
from itertools import combinations

from budgetframe._runtime.text import words_in

_PROVIDERS = words_in(
    "paypal pp sumup zettle izettle sq square stripe klarna adyen mollie tst toast gpay"
    " googlepay applepay visa mastercard maestro girocard debit credit card karte pos ec"
    " kartenzahlung lastschrift purchase payment contactless kontaktlos checkcard einkauf"
    " ltd limited inc llc gmbh mbh kg ag plc sarl bv oy www http https"
)
"""Words of payment providers, banks and legal forms, which do not name a merchant."""
_ENDINGS = words_in(
    "com net org co eu de at ch us usa uk gb fr es it nl be lu ie dk se no fi pl cz pt ca au nz jp"
    " sa ab as"
)
"""Codes of countries, domains and legal forms at the end of a name."""
_OTHER_BUSINESS = words_in(
    "eats music prime energy cloud insurance bank banking mobile telecom tv video one plus pay"
    " drive fuel hotel reisen travel museum versicherung pharmacy optik audible aws web icloud"
    " books games studio fitness kids home baby pass premium theatre school club"
)
"""Words that make another business of the name before them: ``Uber Eats`` is not ``Uber``."""
_BRANCH = words_in(
    "market markt store shop supermarket supermarkt marketplace online station filiale branch"
    " restaurant cafe city center centre mitte nord sud ost west north south east bill sagt danke"
    " express"
)
"""Words that name a branch or a kind of shop after the name of the merchant."""
_GENERIC = words_in(
    "cafe bar restaurant hotel bakery backerei bistro pizzeria trattoria osteria apotheke pharmacy"
    " market markt supermarkt shop store kiosk taxi bank station tankstelle parking parkhaus"
    " werkstatt praxis friseur salon buchhandlung metzgerei school city"
)
"""Words that name a kind of business: alone they are no merchant."""
_WORD = re.compile(r"[^\W_]+")
_APOSTROPHES = re.compile("['`\u00b4\u2018\u2019]")
_DIGIT = re.compile(r"\d")
_ACCENTS = re.compile("[\u0300-\u036f]")  # of Latin letters; the marks of Japanese letters count
_SPELT = re.compile("([aou])e")  # "ae" is another spelling of "ä", and "ä" loses its points
_VOWELS = frozenset("aeiouy")
_LEAST_LETTERS = 4  # of a name that is the beginning of a longer one, or of an abbreviation
_LEAST_PREFIX = 3  # letters of a word that is shortened, and of a later abbreviation


@lru_cache(maxsize=100_000)
def words_of(name: str) -> tuple[str, ...]:
    """The words of a name that name the merchant, without capitals and accents; else all words."""
    plain = unicodedata.normalize("NFKD", _APOSTROPHES.sub("", name).casefold())
    plain = plain.replace("ø", "o").replace("æ", "a").replace("ł", "l")
    letters = unicodedata.normalize("NFC", _ACCENTS.sub("", plain))
    every = [_SPELT.sub(r"\1", word) for word in _WORD.findall(letters)]
    words = [word for word in every if word not in _PROVIDERS and not _DIGIT.search(word)]
    while len(words) > 1 and words[-1] in _ENDINGS:
        words.pop()
    if len(words) > 1 and words[0] == "the":
        words = words[1:]
    if len(words) == 1 and words[0] in _GENERIC:  # the number is the name: Kiosk 12
        words = every
    return tuple(words or every) or (name,)


def are_alike(first: str, second: str) -> bool:
    """Whether two names are probably the same merchant."""
    short, long = sorted((words_of(first), words_of(second)), key=len)
    if "".join(short) == "".join(long):
        return True
    matches = [_match(*pair, number) for number, pair in enumerate(zip(short, long, strict=False))]
    is_abbreviated = "abbreviation" in matches
    if not all(matches) or matches[0] == "prefix":
        return False
    if len(short) == 1 and (len(short[0]) < _LEAST_LETTERS or short[0] in _GENERIC):
        return False
    rest = long[len(short) :]
    if not rest or is_abbreviated:
        return True
    longer = max(first, second, key=lambda name: len(words_of(name)))
    return rest[0] not in _OTHER_BUSINESS and (rest[0] in _BRANCH or longer.isupper())


class _Beginning:
    """The names that begin with the same words, and those of them that have no other words."""

    def __init__(self) -> None:
        self.names: list[str] = []
        self.whole: list[str] = []
        self.next: defaultdict[str, _Beginning] = defaultdict(_Beginning)


def first_alike(names: Iterable[str]) -> dict[str, str]:
    """For each name, the first one before it that is alike, or the one that this is alike to."""
    # Only names whose words match as far as both have words are compared: thousands of names can
    # begin as ``UBER *TRIP QWERT``.
    ranks = {name: rank for rank, name in enumerate(dict.fromkeys(names))}
    matches = _matching_words({word for name in ranks for word in words_of(name)})
    known: dict[tuple[tuple[str, ...], bool], str] = {}
    by_letters: dict[str, str] = {}
    beginning = _Beginning()
    found: dict[str, str] = {}
    for name in ranks:
        words = words_of(name)
        same = known.setdefault((words, name.isupper()), name)
        if same != name:  # it is alike to the same names, and it adds nothing for later ones
            found[name] = found.get(same, same)
            continue
        near = [by_letters.setdefault("".join(words), name)]
        parts = [beginning]
        for word in words:
            parts = [part.next[each] for part in parts for each in matches[word] & part.next.keys()]
            near += [other for part in parts for other in part.whole]
        near += [other for part in parts for other in part.names]
        alike = [other for other in near if other != name and are_alike(name, other)]
        if alike:
            best = min(alike, key=ranks.__getitem__)
            found[name] = found.get(best, best)
        part = beginning
        for word in words:
            part = part.next[word]
            part.names.append(name)
        part.whole.append(name)
    return found


def _matching_words(words: set[str]) -> dict[str, set[str]]:
    """For each word, those of the words that `_match` can accept, and the word itself."""
    found = {word: {word} for word in words}
    abbreviations: dict[str, list[str]] = {}
    for word in words:
        if _is_abbreviation(word, _LEAST_PREFIX):
            abbreviations.setdefault(word[:_LEAST_PREFIX], []).append(word)
    for word in words:
        prefixes = {word[:count] for count in range(_LEAST_PREFIX, len(word))} & words
        # An abbreviation begins with the first letter of the word and two later ones.
        letters = {word[:1] + "".join(two) for two in combinations(word[1:], _LEAST_PREFIX - 1)}
        near = (other for key in letters & abbreviations.keys() for other in abbreviations[key])
        for other in prefixes.union(other for other in near if _match(word, other, 1)):
            found[word].add(other)
            found[other].add(word)
    return found


def _is_abbreviation(word: str, least: int = _LEAST_LETTERS) -> bool:
    """Whether a word has no vowel after its first letter: ``amzn``, ``mktp``."""
    return len(word) >= least and word.isascii() and not _VOWELS & {*word[1:]}


def _match(one: str, other: str, number: int) -> str:
    """How two words match: ``equal``, ``abbreviation``, ``prefix``, or empty."""
    # After the first word, which has the `number` 0, an abbreviation can be shorter.
    if one == other:
        return "equal"
    short, long = sorted((one, other), key=len)
    least = _LEAST_PREFIX if number else _LEAST_LETTERS
    if _is_abbreviation(short, least) and short[0] == long[0] and _is_within(short, long):
        return "abbreviation"
    return "prefix" if len(short) >= _LEAST_PREFIX and long.startswith(short) else ""


def _is_within(short: str, long: str) -> bool:
    """Whether the letters of a word occur in another one in this order."""
    rest = iter(long)
    return all(letter in rest for letter in short)
