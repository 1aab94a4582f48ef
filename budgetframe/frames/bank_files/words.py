"""The words of the headers and cells of CSV and Excel files: one table for all languages."""

from __future__ import annotations

import re
from unicodedata import combining, normalize

_COLUMNS = {
    "date": "booking date|date booked|buchungstag|buchungsdatum|datum buchung|posting date|post date"
    "|posted date|posted on|date posted|posted|date processed|completed date|accounting date|buchung"
    "|date comptable|date de comptabilisation|dateop|date operation|date de l operation|date d operation"
    "|fecha contable|fecha operacion|fecha de operacion|f operacion|data contabile|data operazione"
    "|data de lancamento|data lancamento|data mov|data do movimento|data ksiegowania|data operacji"
    "|boekdatum|boekingsdatum|uitvoeringsdatum|transactiedatum|datum verrekening|bokforingsdag"
    "|bokforingsdatum|bogforingsdato|transaction date|txn date|tran date|date|datum|fecha|data|dato"
    "|datetime|created|run date|data transakcji|transaktionsdatum|datum transakce|started date"
    "|belegdatum|datum verrichting|purchase date|kaufdatum",
    "value": "value date|valuta|valutadatum|wertstellung|wertstellungstag|wert|valutadag|value dt"
    "|date valeur|date de valeur|dateval|fecha valor|f valor|data valuta|data valor|rentedatum"
    "|data waluty|settlement date|eingangstag|valutaire datum",
    "amount": "net|amount|transaction amount|amount total|betrag|betrag in|buchungsbetrag|umsatz in"
    "|umsatz|montant|montant operation|montant de l operation|importe|importe movimiento|monto|importo"
    "|bedrag|transactiebedrag|belopp|belop|kwota|kwota operacji|kwota transakcji|valor|valor r"
    "|quantia|operation amount|billing amount|mutatie|turnover|value|suma|summa",
    "debit": "debit|debits|debit amount|withdrawal|withdrawals|withdrawal amt|withdrawal amount"
    "|paid out|money out|out|outflow|soll|belastung|lastschrift|debet|addebiti|addebito|dare|uscite"
    "|cargo|cargos|debe|gastos|debito|debitos|af|uit|depenses|obciazenia|dr|ausgaben|charges",
    "credit": "credit|credits|credit amount|deposit|deposits|deposit amt|deposit amount|paid in"
    "|money in|in|inflow|haben|gutschrift|kredit|accrediti|accredito|avere|entrate|abono|abonos|haber"
    "|ingresos|credito|creditos|bij|recettes|uznania|cr|einnahmen|payments",
    "sign": "d c|c d|cd|dc|cr dr|dr cr|debit credit|credit debit|creditdebet|debet credit|af bij"
    "|bij af|s h|soll haben|sens|d k|dare avere|debe haber|direction|credit debit indicator|type"
    "|transaction type|tipo|tipo de lancamento|details|umsatztyp|in out",
    "balance": "balance|saldo|kontostand|solde|saldo nach buchung|saldo na trn|saldo na mutatie"
    "|running balance|running bal|runningbalance|account balance|accountbalance|cash balance"
    "|current balance|ending balance|closing balance|balance after|saldo po operacji"
    "|saldo po transakcji|saldo contabile|saldo r",
    "currency": "currency|currency code|wahrung|waehrung|buchungswahrung|devise|divisa|munt|moneda"
    "|waluta|moeda|curr|ccy|valutacode|valuta|billing currency|valuta rekening",
    "account": "account|account number|account name|auftragskonto|auftraggeberkonto"
    "|iban auftragskonto|iban auftraggeberkonto|bezeichnung auftragskonto|accountnum|client account"
    "|iban bban|rekening|rekeningnummer|numero de compte|compte|conto|cuenta|konto",
    "status": "status|state|transaction status|statetype|statut|estado|stato|info",
    "bank_row_id": "transaction id|transactionid|id|fitid|volgnr|transactiereferentie|zkb reference"
    "|transaction reference|operation reference|archivreferenz|umsatz id",
    "payer": "zahlungspflichtige r|auftraggebername|ordenante|absender|donneur d ordre|nadawca",
    "payee_name": "payee|payee name|zahlungsempfanger in|empfanger|empfangername|name|merchant"
    "|beguenstigter zahlungspflichtiger|name zahlungsbeteiligter|auftraggeber empfanger|partner name"
    "|auftraggeber begunstigter|auftraggeber beguenstigter|counterparty name|merchant name|tiers"
    "|naam tegenpartij|naam omschrijving|tegenrekeninghouder|naam|beneficiaire|beneficiario|mottagare"
    "|nom|contraparte|kontrahent|beneficiary payer|counterparty|partner|odbiorca|controparte|namn",
    "memo": "description|memo|verwendungszweck|libelle|label|concepto|descripcion|descrizione"
    "|descrizione operazioni|causale|omschrijving|mededelingen|narration|narrative|particulars"
    "|buchungstext|booking text|text|transaction description|tytul|opis|opis operacji|descricao|title"
    "|historico|historia|lancamento|beskrivning|details|transaction details|remarks|communication|reference"
    "|payment reference|motif|observaciones|vrije mededeling|payment purpose|subject|notes|zahlungsreferenz",
}  # fmt: skip
"""What a column is, and its names in headers, the likeliest first, without accents and signs."""

MEANINGS = (*_COLUMNS,)
_CODES = re.compile(
    r"\b(eur|usd|gbp|chf|sek|nok|dkk|pln|czk|huf|inr|brl|cad|aud|nzd|sgd|jpy|zar)\b"
)
_OUT = "d dr debit debet debito s soll af uit out outflow dare debe cargo sale purchase ausgang"
_IN = "c cr credit k kredit credito h haben bij in inflow avere haber abono refund eingang"
SIGNS = {**dict.fromkeys(_OUT.split(), -1), **dict.fromkeys(_IN.split(), 1)}
"""Whether a row is an outflow (-1) or an inflow (1), in a column that says it."""

_PENDING = (
    "pending|vorgemerkt|en attente|en cours|pendiente|in sospeso|in behandeling|reserv|authori[sz]ed"
    "|processing|declined|reverted|failed|cancel|rejected|storniert|annul"
)
_BALANCE = (
    r"\W*((opening|closing|beginning|ending|previous) balance|balance (brought|carried)|anfangssaldo"
    "|endsaldo|saldovortrag|saldo (inicial|anterior|iniziale|final)|(ancien|nouveau) solde|solde au"
    "|beginsaldo|eindsaldo|saldo do dia|turnover|likutis|apyvarta)"
)
_TOTAL = "total|saldo|balance|summe|solde|somme|suma|kontostand"
PENDING, BALANCE, TOTAL = (re.compile(each, re.IGNORECASE) for each in (_PENDING, _BALANCE, _TOTAL))
"""What the status of a row that is not booked has; how a balance begins; what is in a total."""


def plain(name: str) -> str:
    """A name in a header without accents, signs and codes of currencies, in small letters."""
    letters = (letter for letter in normalize("NFKD", name.casefold()) if not combining(letter))
    text = _CODES.sub("", "".join(letters).replace("ł", "l").replace("ø", "o"))
    return " ".join(re.findall(r"[^\W_]+", text))


KNOWN: dict[str, list[tuple[str, int]]] = {}
for _meaning, _names in _COLUMNS.items():
    for _rank, _name in enumerate(_names.split("|")):
        KNOWN.setdefault(_name, []).append((_meaning, _rank))
