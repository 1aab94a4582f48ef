"""The words of the headers and cells of CSV and Excel files: one table for all languages."""

from __future__ import annotations

import re
from unicodedata import combining, normalize

_NAMES = {
    "date": "booking date|buchungstag|buchungsdatum|posting date|post date|posted date|date posted"
    "|date processed|completed date|accounting date|buchung|date comptable"
    "|date de comptabilisation|dateop|date operation|date de l operation|fecha contable"
    "|fecha operacion|fecha de operacion|data contabile|data operazione|data de lancamento"
    "|data lancamento|data mov|data ksiegowania|data operacji|boekdatum|boekingsdatum"
    "|uitvoeringsdatum|transactiedatum|datum verrekening|bokforingsdag|bokforingsdatum"
    "|transaction date|tran date|date|datum|fecha|data|dato|created|run date|datetime"
    "|data transakcji|transaktionsdatum|started date|belegdatum",
    "value": "value date|valuta|valutadatum|wertstellung|wertstellungstag|date valeur"
    "|date de valeur|dateval|fecha valor|data valuta|data valor|rentedatum|data waluty"
    "|settlement date",
    "amount": "net|buchungsbetrag|billing amount|umsatz in|amount|transaction amount|amount total"
    "|betrag|betrag in|umsatz|montant|montant operation|montant de l operation|importe"
    "|importe movimiento|importo|bedrag|transactiebedrag|belopp|belop|belob|kwota|kwota operacji"
    "|kwota transakcji|valor|valor r|operation amount|mutatie|value|suma",
    "debit": "debit|debits|debit amount|withdrawal|withdrawals|withdrawal amt|withdrawal amount"
    "|paid out|money out|out|outflow|soll|belastung|lastschrift|debet|addebiti|addebito|dare"
    "|uscite|cargo|debe|debito|af",
    "credit": "credit|credits|credit amount|deposit|deposits|deposit amt|paid in|money in|in"
    "|inflow|haben|gutschrift|kredit|accrediti|avere|entrate|abono|haber|credito|bij",
    "sign": "d c|c d|cd|dc|cr dr|dr cr|debit credit|credit debit|creditdebet|debet credit|af bij"
    "|bij af|s h|soll haben|sens|d k|direction|type|transaction type|tipo|details|umsatztyp",
    "balance": "balance|closing balance|saldo|kontostand|solde|saldo nach buchung|saldo na trn"
    "|saldo na mutatie|running balance|running bal|runningbalance|account balance"
    "|accountbalance|cash balance|current balance|ending balance|saldo po operacji|saldo contabile",
    "fee": "fee|fees|fee amount|gebuhr|gebuhren|entgelt|frais|commission|comision"
    "|commissione|kosten",
    "currency": "buchungswahrung|billing currency|currency|currency code|wahrung|waehrung|devise"
    "|divisa|munt|moneda|waluta|moeda|curr|ccy|valutacode|valuta",
    "account": "account|account number|account name|auftragskonto|auftraggeberkonto"
    "|iban auftragskonto|iban auftraggeberkonto|client account|iban bban|rekening|rekeningnummer"
    "|numero de compte|compte|conto|cuenta|konto",
    "status": "status|state|transaction status|statetype|statut|estado|stato|info",
    "bank_row_id": "transaction id|transactionid|id|fitid|volgnr|transactiereferentie"
    "|zkb reference|transaction reference|operation reference|archivreferenz|umsatz id",
    "payer": "zahlungspflichtige r|auftraggebername|ordenante|absender|donneur d ordre|nadawca",
    "payee_name": "payee|payee name|zahlungsempfanger in|empfanger|empfangername|name|merchant"
    "|beguenstigter zahlungspflichtiger|name zahlungsbeteiligter|auftraggeber empfanger"
    "|partner name|auftraggeber begunstigter|auftraggeber beguenstigter|counterparty name"
    "|merchant name|tiers|naam tegenpartij|naam omschrijving|tegenrekeninghouder|naam|beneficiaire"
    "|beneficiario|mottagare|nom|contraparte|kontrahent|beneficiary payer|counterparty|partner"
    "|odbiorca|controparte",
    "memo": "description|memo|verwendungszweck|libelle|label|concepto|descripcion|descrizione"
    "|descrizione operazioni|causale|omschrijving|mededelingen|narration|narrative|particulars"
    "|buchungstext|booking text|text|transaction description|tytul|opis|opis operacji|descricao"
    "|historico|lancamento|beskrivning|details|transaction details|remarks|communication|reference"
    "|payment reference|motif|observaciones|vrije mededeling|payment purpose|subject|notes"
    "|zahlungsreferenz",
}  # fmt: skip
"""What a column is, and its names in headers, the likeliest first, without accents and signs."""
COLUMNS = {meaning: names.split("|") for meaning, names in _NAMES.items()}

_CODES = "eur|usd|gbp|chf|sek|nok|dkk|pln|czk|huf|inr|brl|cad|aud|nzd|sgd|jpy|zar"
_OUT = "d dr debit debet debito s soll af uit out outflow dare debe cargo sale purchase ausgang"
_IN = "c cr credit k kredit credito h haben bij in inflow avere haber abono refund eingang"
SIGNS = {**dict.fromkeys(_OUT.split(), -1), **dict.fromkeys(_IN.split(), 1)}
"""Whether a row is an outflow (-1) or an inflow (1), in a column that says it."""
PENDING = re.compile(
    "(?i)pending|vorgemerkt|en attente|en cours|pendiente|in sospeso|in behandeling|reserv"
    "|autorizzat|authori[sz]ed|processing|declined|reverted|failed|cancel|rejected|storniert|annul"
)
_BALANCES = (
    "(opening|closing|beginning|ending|previous|brought|carried|forward|initial|final|anterior"
    "|inicial|iniziale|finale|contabile|alter|neuer|anfangs|end|begin|eind|nieuw|vorig|precedent"
    "|ancien|nouveau|current|do|dia|turnover|total|gesamt|sub|pradziai|pabaigai)"
)
_TOTALS = (
    "(saldo|balance|kontostand|solde|summe|somme|suma|total|likutis|apyvarta|turnover|vortrag)"
)
TOTAL = re.compile(rf"({_BALANCES} ?)*{_TOTALS}( ({_BALANCES}|am|per|vom|au|al|at|on|as|of|\d+))*")
"""The whole text of a cell in a row that is a balance or a sum, as `plain` writes it."""
PART_OF_TOTAL = re.compile(_TOTALS)  # a part of such a text, for a row without a day


def plain(name: str) -> str:
    """A name in a header without accents, signs and codes of currencies, in small letters."""
    letters = [letter for letter in normalize("NFKD", name.casefold()) if not combining(letter)]
    text = "".join(letters).replace("ł", "l").replace("ø", "o")
    return " ".join(re.findall(r"[^\W_]+", re.sub(rf"\b({_CODES})\b", "", text)))
