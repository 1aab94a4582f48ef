"""Small files in the shapes of banks of many countries; the sums and balances are by hand.

The first line of each has its name, its first and last day, the sum of its rows and the balance
after them (- if the file states none).
"""

FILES = """\
### AT: amounts with signs | 2026-05-29 2026-05-31 | 2142.20 | -
Buchungsdatum;Partnername;Betrag;Währung
29.05.2026;Bäckerei Gruber;-7,80;EUR
31.05.2026;Lohn Mai;2.150,00;EUR
### AT: no decimals of thousands, Auftragskonto | 2026-06-01 2026-06-02 | -1012.50 | -
"Auftragskonto";"Buchungstag";"Valutadatum";"Verwendungszweck";"Betrag";"Waehrung"
"AT611904300234573201";"01.06.26";"02.06.26";"Miete Juni";"-1.000,00";"EUR"
"AT611904300234573201";"02.06.26";"02.06.26";"Strom";"-12,50";"EUR"
### BE: amount besides debit and credit | 2026-02-27 2026-02-28 | 96.60 | 316.55
Rekeningnummer;Munt;Datum;Omschrijving;Valuta;Bedrag;Saldo;credit;debet;Naam tegenpartij
BE68539007547034;EUR;27/02/2026;Terugbetaling;27/02/2026;100,00;319,95;100,00;;Els Peeters
BE68539007547034;EUR;28/02/2026;Bijdrage;28/02/2026;-3,40;316,55;;-3,40;
### BE: days with dashes | 2026-01-02 2026-01-30 | -57.24 | -
Uitvoeringsdatum;Valutadatum;Bedrag;Valuta rekening;Tegenpartij
02-01-2026;02-01-2026;-45,25;EUR;Kruidenier
30-01-2026;30-01-2026;-11,99;EUR;Muziek
### BR: an earlier balance is no row | 2026-03-13 2026-03-16 | 1379.50 | -
Data Lançamento;Histórico;Valor;Saldo do dia
12/03/2026;SALDO ANTERIOR;500,00;
13/03/2026;Padaria Sol;-20,50;
16/03/2026;Salário;1.400,00;
### BR: quotes, comma as the delimiter | 2026-03-01 2026-03-31 | -150.25 | -
"Data","Descrição","Valor"
"01/03/2026","Farmácia","-100,25"
"31/03/2026","Ônibus","-50,00"
### CA: the month first, withdrawals and deposits | 2026-04-01 2026-04-30 | 1480.00 | 1980.00
Date,Description,Withdrawals,Deposits,Balance
04/01/2026,HYDRO,20.00,,480.00
04/30/2026,PAYROLL,,"1,500.00","1,980.00"
### CH: apostrophes | 2026-01-05 2026-01-31 | 4974.50 | 6208.00
Datum;Buchungstext;Belastung CHF;Gutschrift CHF;Valuta;Saldo CHF
05.01.2026;Kiosk;25.50;;05.01.2026;1'208.00
31.01.2026;Lohn;;5\u2019000.00;31.01.2026;6'208.00
### CH: French, newest first | 2026-04-29 2026-04-30 | 1170.45 | 2170.45
Date de comptabilisation;Description;Débit;Crédit;Solde
30.04.2026;Salaire;;1'200.00;2'170.45
29.04.2026;Librairie;29.55;;970.45
### CZ: a space in amounts, codes | 2026-05-01 2026-05-20 | -1301.00 | -
Booking Date;Description;Amount CZK
01.05.2026;Nájem;-1 300,00
20.05.2026;Chléb;-1,00
### DE: preamble and footer | 2026-05-02 2026-05-31 | 954.88 | -
Umsatzanzeige;Datei erstellt am: 01.06.2026 16:57

IBAN;DE02 1203 0000 0000 2020 51
Saldo;2.500,00;EUR

Buchung;Valuta;Auftraggeber/Empfänger;Buchungstext;Verwendungszweck;Betrag;Währung
31.05.2026;31.05.2026;Beispiel GmbH;Gehalt;Mai;1.000,00;EUR
02.05.2026;02.05.2026;Gärtnerei Moos;Lastschrift;Erde;-45,12;EUR

Summe;;;;;954,88;EUR
### DE: a pending row | 2026-05-30 2026-05-30 | -12.00 | -
"Buchungstag";"Buchungstext";"Beguenstigter/Zahlungspflichtiger";"Betrag";"Info"
"31.05.26";"KARTE";"Tankstelle";"-60,00";"Umsatz vorgemerkt"
"30.05.26";"KARTE";"Blumen Ott";"-12,00";"Umsatz gebucht"
### DE: payer and payee | 2026-04-28 2026-04-30 | 110.99 | -
"Buchungsdatum";"Status";"Zahlungspflichtige*r";"Zahlungsempfänger*in";"Betrag (€)"
"30.04.26";"Gebucht";"Ich";"Jana Beispiel";"-123,12"
"28.04.26";"Gebucht";"Oma Inge";"Ich";"234,11"
### DE: Soll and Haben with zeros | 2026-08-13 2026-08-27 | -1490.00 | -
Konto;Text;Datum;Währung;Soll;Haben
12345;Auszahlung;27.08.2026;EUR;1.500,00;0,00
12345;Prämie;13.08.2026;EUR;0,00;10,00
### DE: a column S/H | 2026-03-30 2026-03-31 | -41.00 | -
Buchungstag;Text;Umsatz;S/H
30.03.2026;Buch;50,00;S
31.03.2026;Zinsen;9,00;H
### DE: Soll/Haben in words, the letter in the amount | 2026-03-02 2026-03-30 | 51.55 | -
Datum;Name;Betrag
02.03.2026;Post;8,45 S
30.03.2026;Finanzamt;60,00 H
### DE: Kontostand with a minus at its end | 2026-07-01 2026-07-15 | -70.00 | -20.00
Buchungstag;Umsatz in EUR;Zahlungsgrund;Kontostand
01.07.2026;30,00-;Kino;20,00
15.07.2026;40,00-;Essen;20,00-
### DE: names of months | 2026-05-31 2026-06-01 | -8.00 | -
Datum;Empfänger;Betrag
31. Mai 2026;Café;-3,50 €
1. Juni 2026;Café;-4,50 €
### DK: the day first | 2026-11-15 2026-11-16 | 449.90 | 26998.23
Dato;Tekst;Beløb;Saldo
15-11-2026;Kiosk;-48,00;26.500,33
16-11-2026;Retur;497,90;26.998,23
### ES: fecha contable before fecha valor | 2026-02-13 2026-02-28 | 787.75 | 1287.75
Fecha contable;Fecha valor;Concepto;Importe;Saldo
28/02/2026;01/03/2026;Nómina;800,00;1.287,75
13/02/2026;12/02/2026;Panadería;-12,25;487,75
### ES: cargo and abono | 2026-01-07 2026-01-31 | 55.10 | -
Fecha operación;Descripción;Cargo;Abono
07/01/2026;Luz;44,90;
31/01/2026;Devolución;;100,00
### FR: a narrow space in amounts | 2026-03-13 2026-03-31 | 1181.60 | -
Date opération;Libellé;Montant;Devise
31/03/2026;Virement salaire;1\u202f200,00;EUR
13/03/2026;Boulangerie;-18,40;EUR
### FR: negative debits | 2026-06-15 2026-06-30 | 119.01 | -
Date;Libellé;Débit;Crédit
15/06/2026;Abonnement;-10,99;
30/06/2026;Remboursement;;130,00
### FR: a column of texts before the header | 2026-02-18 2026-02-19 | 41.90 | -
Compte 0234500012;;;;
Date de l'opération;Libellé;Montant de l'opération;Devise
19/02/2026;VIR RECU;50,00;EUR
18/02/2026;COTISATION;-8,10;EUR
### HU: points around the day | 2026-04-17 2026-04-19 | 940 | 2345.56
Date,Partner name,Amount,Currency,Direction,Balance
2026.04.19.,Bolt,-350,HUF,outflow,2345.56
2026.04.17.,Fizetés,1290,HUF,inflow,2695.56
### IN: lakhs | 2026-04-03 2026-04-15 | 123456.50 | 223456.50
Txn Date,Value Date,Description,Debit,Credit,Balance
03/04/2026,03/04/2026,UPI tea,250.00,,"99,750.00"
15/04/2026,15/04/2026,Salary,,"1,23,706.50","2,23,456.50"
### IN: CR and DR behind the amount | 2026-05-14 2026-05-15 | 750.00 | -
Tran Date|Particulars|Amount
14/05/2026|Rent share|1,250.00 CR
15/05/2026|Book|500.00 DR
### IN: a column CR/DR | 2026-05-04 2026-05-30 | 9500.00 | -
Transaction Date	Narration	Amount	Cr/Dr
04/05/2026	Petrol	500.00	DR
30/05/2026	Stipend	10,000.00	CR
### IT: dare and avere, balances are no rows | 2026-01-03 2026-01-23 | 1247.10 | -
Data;Valuta;Addebiti;Accrediti;Descrizione operazioni
31/12/25;;;26.851,95;SALDO INIZIALE
03/01/26;03/01/26;2,90;;IMPOSTA DI BOLLO
23/01/26;23/01/26;;1.250,00;BONIFICO
31/01/26;;;28.099,05;SALDO FINALE
### IT: importo | 2026-09-14 2026-09-30 | -7.20 | -
Data contabile;Data valuta;Causale;Importo
14/09/2026;15/09/2026;Gelateria;-€ 5,20
30/09/2026;30/09/2026;Canone;-€ 2,00
### JP: year first, days without a sign | 2026-07-02 2026-07-08 | -100 | 900
Date,Summary,Withdrawal,Deposit,Ending balance
2026/07/02,Expense,300,,700
2026/07/08,Transfer,,200,900
### LT: D and K, rows of balances | 2026-01-02 2026-01-10 | 1587.80 | -
"Client account","Date","Beneficiary/Payer","Details","Amount","Currency","D/K"
"LT121000011101001000","2026-01-01","","Opening balance","2123.82","EUR","K"
"LT121000011101001000","2026-01-02","Restoranas","Pietūs","12.20","EUR","D"
"LT121000011101001000","2026-01-10","Company","Salary","1600.00","EUR","K"
"LT121000011101001000","2026-01-31","","Turnover","12.20","EUR","D"
### NL: Af and Bij | 2026-02-13 2026-02-14 | 18.75 | 118.75
"Datum";"Naam / Omschrijving";"Rekening";"Code";"Af Bij";"Bedrag (EUR)";"Saldo na mutatie"
"20260214";"J de Vries";"NL69INGB0123456789";"OV";"Bij";"20,00";"118,75"
"20260213";"Kosten";"NL69INGB0123456789";"DV";"Af";"1,25";"98,75"
### NL: plus signs | 2026-03-14 2026-03-16 | -287.49 | 4969.79
"IBAN/BBAN","Munt","Volgnr","Datum","Rentedatum","Bedrag","Saldo na trn","Naam tegenpartij"
"NL39RABO0300065264","EUR","000000000000000565","2026-03-14","2026-03-14","+50,00","+5307,28","Loterij"
"NL39RABO0300065264","EUR","000000000000000566","2026-03-16","2026-03-16","-337,49","+4969,79","Bank"
### NL: a line above, D and C | 2026-06-19 2026-06-21 | -827.75 | -
BANK EXPORT;;;;;;
Rekeningnummer;Transactiedatum;Valutacode;CreditDebet;Bedrag;Tegenrekeninghouder;Omschrijving
"NL02KNAB0123456789";"21-06-2026";"EUR";"D";"3327,75";"Gert Bos";"Dak"
"NL02KNAB0123456789";"19-06-2026";"EUR";"C";"2500";"Gert Bos";"Terug"
### NO: kr in the amount, a vertical bar | 2026-05-20 2026-05-21 | -345.00 | -
Dato|Tekst|Beløp
20.05.2026|Butikk|-kr 300,00
21.05.2026|Buss|-kr 45,00
### PL: dashes and a space | 2026-05-12 2026-05-13 | 3488.01 | 4488.01
Data operacji;Data księgowania;Opis operacji;Kwota;Saldo po operacji
2026-05-13;2026-05-13;PRZELEW;3 500,00 PLN;4 488,01 PLN
2026-05-12;2026-05-12;ZAKUP;-11,99 PLN;988,01 PLN
### PT: debits and credits, a vertical space | 2026-10-14 2026-10-31 | 1035.60 | 1535.60
Data mov.;Data valor;Descrição;Débito;Crédito;Saldo
14-10-2026;14-10-2026;Mercearia;64,40;;435,60
31-10-2026;31-10-2026;Ordenado;;1.100,00;1.535,60
### SE: kr behind the amount | 2026-01-17 2026-01-31 | 2355.25 | 2400.00
Datum;Text;Typ;Belopp;Saldo
2026-01-17;Närbutik;Korttransaktion;-144,75 kr;-100,00 kr
2026-01-31;Lön;Insättning;2 500,00 kr;2 400,00 kr
### SE: Valuta is the currency | 2026-04-23 2026-04-24 | 385.66 | 3716.17
Bokföringsdag;Belopp;Avsändare;Mottagare;Namn;Rubrik;Saldo;Valuta
2026-04-24;428,60;;123;;Swish;3716,17;SEK
2026-04-23;-42,94;123;;;Kortköp;3287,57;SEK
### UK: paid out and paid in | 2026-11-07 2026-11-09 | 480.23 | 480.23
Date,Type,Description,Paid out,Paid in,Balance
07 Nov 2026,Credit,Opening gift,,£500.00,£500.00
09 Nov 2026,Visa,Supermarket,£19.77,,£480.23
### UK: months of three letters | 2026-12-02 2026-12-12 | -26.39 | -
Date,Description,Amount
12-Dec-26,TAXI,-18.19
02-Dec-26,CAFE,-8.20
### UK: a time and a zone | 2026-02-25 2026-02-26 | 12.50 | -
id,created,amount,currency,local_amount,local_currency,description
tx_01,2026-02-25 12:34:56 +0000,-7.50,GBP,-9.00,EUR,Tesco
tx_02,2026-02-26T08:00:00Z,20.00,GBP,20.00,GBP,Sam
### US: brackets | 2026-01-16 2026-01-31 | -299.98 | 500.02
"Date","Transaction","Amount","Cash Balance"
"01/16/2026","Investment","($300.00)","$500.00"
"01/31/2026","Interest","$0.02","$500.02"
### US: debit and credit of a card | 2026-09-06 2026-09-29 | 398.10 | -
Transaction Date,Posted Date,Card No.,Description,Category,Debit,Credit
9/29/2026,9/29/2026,5620,ELECTRONIC PAYMENT,Payment,,475.52
9/05/2026,9/06/2026,5620,DENNY'S,Dining,77.42,
### US: the day after "as of" | 2026-09-15 2026-09-16 | 211.05 | -
"Transactions for account XXXX-1234"
"Date","Action","Description","Fees & Comm","Amount"
"09/16/2026 as of 09/15/2026","Bank Interest","BANK INT","","$0.05"
"09/15/2026","Journal","FROM SAVINGS","","$311.00"
"09/15/2026","Journal","TO CHECKING","","-$100.00"
"Transactions Total","","","","$211.05"
### US: a sign in front of the dollar | 2026-12-30 2026-12-31 | -1971.39 | 100.00
"DATE","TRANSACTION TYPE","DESCRIPTION","AMOUNT","CURRENT BALANCE"
"12/31/2026","DEBIT","TRANSFER","-$7,971.39","$100.00"
"12/30/2026","CREDIT","DEPOSIT","$6,000.00","$8,071.39"
### US: debits without a sign besides a type | 2026-03-24 2026-03-27 | 58.89 | -
"Date","Description","Amount","Transaction Type","Account Name"
"3/27/2026","Books","7.99","debit","Card"
"3/24/2026","Refund","66.88","credit","Card"
"""
