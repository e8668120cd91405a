// SPDX-License-Identifier: MIT
// tests/node/mistakes_house.test.mjs - harmful mistakes in statements about the houses that a company manages, whose
// tables are German and whose questions are both. Somebody wrote the tables, their rows, the questions and the mistakes
// who knew neither askd's code nor its tests: of the 40 mistakes 24 passed unseen the first time.
import { becomes } from './lib/mistakes.mjs';

becomes([
  // value case
  ['How many apartments do we manage?', "SELECT COUNT(*) FROM einheit WHERE nutzungsart = 'Wohnung'", "SELECT COUNT(*) FROM einheit WHERE nutzungsart = 'WOHNUNG'"],
  // value language
  ['List all open invoices with number and gross amount', "SELECT rechnungsnr, betrag_brutto FROM rechnung WHERE status = 'open'", "SELECT rechnungsnr, betrag_brutto FROM rechnung WHERE status = 'OFFEN'"],
  // value spelling
  ['total of payments made by bank transfer, without reversed ones', "SELECT SUM(betrag) FROM zahlung WHERE zahlungsart = 'Ueberweisung' AND storniert_kz = 0", "SELECT SUM(betrag) FROM zahlung WHERE zahlungsart = 'Überweisung' AND storniert_kz = 0"],
  // boolean as text
  ['Which contractors are blocked?', "SELECT firmenname FROM dienstleister WHERE gesperrt = 'true'", 'SELECT firmenname FROM dienstleister WHERE gesperrt = 1'],
  ['Welche Objekte stehen unter Denkmalschutz?', "SELECT bezeichnung FROM objekt WHERE denkmalschutz = 'ja'", 'SELECT bezeichnung FROM objekt WHERE denkmalschutz = 1'],
  // wrong join
  ['Rent (cold) and unit number of every active lease', "SELECT e.nummer, v.kaltmiete FROM mietvertrag v JOIN einheit e ON e.id = v.id WHERE v.status = 'aktiv'", "SELECT e.nummer, v.kaltmiete FROM mietvertrag v JOIN einheit e ON e.id = v.einheit_id WHERE v.status = 'aktiv'"],
  ['names of tenants who reported mould (Schimmel)', "SELECT DISTINCT p.vorname, p.nachname FROM schadensmeldung s JOIN person p ON p.id = s.einheit_id WHERE s.kategorie = 'Schimmel'", "SELECT DISTINCT p.vorname, p.nachname FROM schadensmeldung s JOIN person p ON p.id = s.gemeldet_von_id WHERE s.kategorie = 'Schimmel'"],
  // fan out
  ['total amount charged (Sollstellung) per lease number for leases which made at least one payment', 'SELECT v.vertragsnummer, SUM(s.betrag) FROM mietvertrag v JOIN sollstellung s ON s.vertrag_id = v.id JOIN zahlung z ON z.vertrag_id = v.id GROUP BY v.id, v.vertragsnummer', 'SELECT v.vertragsnummer, SUM(s.betrag) FROM mietvertrag v JOIN sollstellung s ON s.vertrag_id = v.id WHERE v.id IN (SELECT vertrag_id FROM zahlung) GROUP BY v.id, v.vertragsnummer'],
  ['What is the monthly cold rent of all active leases in buildings for which we got invoices?', "SELECT SUM(v.kaltmiete) FROM mietvertrag v JOIN einheit e ON e.id = v.einheit_id JOIN rechnung r ON r.objekt_id = e.objekt_id WHERE v.status = 'aktiv'", "SELECT SUM(v.kaltmiete) FROM mietvertrag v JOIN einheit e ON e.id = v.einheit_id WHERE v.status = 'aktiv' AND e.objekt_id IN (SELECT objekt_id FROM rechnung)"],
  // missing distinct
  ['How many buildings had at least one damage report?', 'SELECT COUNT(e.objekt_id) FROM schadensmeldung s JOIN einheit e ON e.id = s.einheit_id', 'SELECT COUNT(DISTINCT e.objekt_id) FROM schadensmeldung s JOIN einheit e ON e.id = s.einheit_id'],
  ['Wie viele verschiedene Personen haben einen aktiven Mietvertrag?', "SELECT COUNT(*) FROM mietvertrag WHERE status = 'aktiv'", "SELECT COUNT(DISTINCT mieter_id) FROM mietvertrag WHERE status = 'aktiv'"],
  // wrong column
  ['net invoice total per cost type', 'SELECT k.bezeichnung, SUM(r.betrag_brutto) FROM rechnung r JOIN kostenart k ON k.id = r.kostenart_id GROUP BY k.id, k.bezeichnung', 'SELECT k.bezeichnung, SUM(r.betrag_netto) FROM rechnung r JOIN kostenart k ON k.id = r.kostenart_id GROUP BY k.id, k.bezeichnung'],
  ['Leases that began in 2024', "SELECT vertragsnummer FROM mietvertrag WHERE abgeschlossen_am >= '2024-01-01' AND abgeschlossen_am < '2025-01-01'", "SELECT vertragsnummer FROM mietvertrag WHERE beginn_am >= '2024-01-01' AND beginn_am < '2025-01-01'"],
  // where on outer
  ['Number of invoices of status STRITTIG per contractor, contractors with none too', "SELECT d.firmenname, COUNT(r.id) FROM dienstleister d LEFT JOIN rechnung r ON r.dienstleister_id = d.id WHERE r.status = 'STRITTIG' GROUP BY d.id, d.firmenname", "SELECT d.firmenname, COUNT(r.id) FROM dienstleister d LEFT JOIN rechnung r ON r.dienstleister_id = d.id AND r.status = 'STRITTIG' GROUP BY d.id, d.firmenname"],
  ['Anzahl der aktiven Verträge je Objekt, auch Objekte ohne Vertrag', "SELECT o.bezeichnung, COUNT(v.id) FROM objekt o LEFT JOIN einheit e ON e.objekt_id = o.id LEFT JOIN mietvertrag v ON v.einheit_id = e.id WHERE v.status = 'aktiv' GROUP BY o.id, o.bezeichnung", "SELECT o.bezeichnung, COUNT(v.id) FROM objekt o LEFT JOIN einheit e ON e.objekt_id = o.id LEFT JOIN mietvertrag v ON v.einheit_id = e.id AND v.status = 'aktiv' GROUP BY o.id, o.bezeichnung"],
  // limit ties
  ['Which is our oldest building?', 'SELECT bezeichnung, baujahr FROM objekt ORDER BY baujahr ASC LIMIT 1', 'SELECT bezeichnung, baujahr FROM objekt WHERE baujahr = (SELECT MIN(baujahr) FROM objekt)'],
  ['Welche Sollstellungen haben die höchste Mahnstufe?', 'SELECT id, vertrag_id, betrag FROM sollstellung ORDER BY mahnstufe DESC LIMIT 1', 'SELECT id, vertrag_id, betrag FROM sollstellung WHERE mahnstufe = (SELECT MAX(mahnstufe) FROM sollstellung)'],
  // forgotten limit
  ['the 5 largest invoices by gross amount', 'SELECT rechnungsnr, betrag_brutto FROM rechnung ORDER BY betrag_brutto DESC', 'SELECT rechnungsnr, betrag_brutto FROM rechnung ORDER BY betrag_brutto DESC LIMIT 5'],
  ['top three buildings by number of damage reports', 'SELECT o.bezeichnung, COUNT(*) AS n FROM schadensmeldung s JOIN einheit e ON e.id = s.einheit_id JOIN objekt o ON o.id = e.objekt_id GROUP BY o.id, o.bezeichnung ORDER BY n DESC', 'SELECT o.bezeichnung, COUNT(*) AS n FROM schadensmeldung s JOIN einheit e ON e.id = s.einheit_id JOIN objekt o ON o.id = e.objekt_id GROUP BY o.id, o.bezeichnung ORDER BY n DESC, o.id LIMIT 3'],
  // wrong order
  ['Which three residential flats have the smallest living area?', "SELECT nummer, wohnflaeche_qm FROM einheit WHERE nutzungsart = 'WOHNUNG' ORDER BY wohnflaeche_qm DESC LIMIT 3", "SELECT nummer, wohnflaeche_qm FROM einheit WHERE nutzungsart = 'WOHNUNG' ORDER BY wohnflaeche_qm ASC LIMIT 3"],
  ['Die jüngste Person in der Kartei mit Geburtsdatum', 'SELECT vorname, nachname, geburtsdatum FROM person WHERE geburtsdatum = (SELECT MIN(geburtsdatum) FROM person)', 'SELECT vorname, nachname, geburtsdatum FROM person WHERE geburtsdatum = (SELECT MAX(geburtsdatum) FROM person)'],
  // date boundary
  ['How many invoices are dated after 31 December 2024?', "SELECT COUNT(*) FROM rechnung WHERE rechnungsdatum >= '2024-12-31'", "SELECT COUNT(*) FROM rechnung WHERE rechnungsdatum > '2024-12-31'"],
  ['Summe der Bruttobeträge der Rechnungen im ersten Quartal 2025', "SELECT SUM(betrag_brutto) FROM rechnung WHERE rechnungsdatum >= '2025-01-01' AND rechnungsdatum < '2025-03-31'", "SELECT SUM(betrag_brutto) FROM rechnung WHERE rechnungsdatum >= '2025-01-01' AND rechnungsdatum < '2025-04-01'"],
  // nullable count
  ['How many damage reports are there?', 'SELECT COUNT(dienstleister_id) FROM schadensmeldung', 'SELECT COUNT(*) FROM schadensmeldung'],
  ['Number of units per building', 'SELECT o.bezeichnung, COUNT(e.wohnflaeche_qm) FROM objekt o LEFT JOIN einheit e ON e.objekt_id = o.id GROUP BY o.id, o.bezeichnung', 'SELECT o.bezeichnung, COUNT(e.id) FROM objekt o LEFT JOIN einheit e ON e.objekt_id = o.id GROUP BY o.id, o.bezeichnung'],
  // avg of avgs
  ['What is the average cold rent of an active lease?', "SELECT AVG(m) FROM (SELECT e.objekt_id, AVG(v.kaltmiete) AS m FROM mietvertrag v JOIN einheit e ON e.id = v.einheit_id WHERE v.status = 'aktiv' GROUP BY e.objekt_id)", "SELECT AVG(kaltmiete) FROM mietvertrag WHERE status = 'aktiv'"],
  ['average gross amount of an invoice, over all contractors', 'SELECT AVG(a) FROM (SELECT AVG(betrag_brutto) AS a FROM rechnung GROUP BY dienstleister_id)', 'SELECT AVG(betrag_brutto) FROM rechnung'],
  // is null inner
  ['Which contractors never sent us an invoice?', 'SELECT d.firmenname FROM dienstleister d JOIN rechnung r ON r.dienstleister_id = d.id WHERE r.id IS NULL', 'SELECT d.firmenname FROM dienstleister d LEFT JOIN rechnung r ON r.dienstleister_id = d.id WHERE r.id IS NULL'],
  ['Welche Einheiten hatten noch nie einen Mietvertrag?', 'SELECT e.nummer FROM einheit e JOIN mietvertrag v ON v.einheit_id = e.id WHERE v.id IS NULL', 'SELECT e.nummer FROM einheit e WHERE NOT EXISTS (SELECT 1 FROM mietvertrag v WHERE v.einheit_id = e.id)'],
  // ignored not
  ['Buildings that are not located in Köln or Dresden', "SELECT bezeichnung, ort FROM objekt WHERE ort IN ('Köln', 'Dresden')", "SELECT bezeichnung, ort FROM objekt WHERE ort NOT IN ('Köln', 'Dresden')"],
  ['How many damage reports are not done yet', "SELECT COUNT(*) FROM schadensmeldung WHERE status = 'erledigt'", "SELECT COUNT(*) FROM schadensmeldung WHERE status <> 'erledigt'"],
  // wrong entity
  ['Which tenants have more than one active lease?', "SELECT m.firmenname, m.ort, COUNT(*) FROM mietvertrag v JOIN mandant m ON m.id = v.mandant_id WHERE v.status = 'aktiv' GROUP BY m.id, m.firmenname, m.ort HAVING COUNT(*) > 1", "SELECT p.vorname, p.nachname, COUNT(*) FROM mietvertrag v JOIN person p ON p.id = v.mieter_id WHERE v.status = 'aktiv' GROUP BY p.id, p.vorname, p.nachname HAVING COUNT(*) > 1"],
  ['Wie viele Dienstleister haben wir je Gewerk?', 'SELECT d.gewerk, COUNT(*) FROM dienstleister d JOIN rechnung r ON r.dienstleister_id = d.id GROUP BY d.gewerk', 'SELECT gewerk, COUNT(*) FROM dienstleister GROUP BY gewerk'],
  // mixed units
  ['total water consumption read, in cubic metres', "SELECT SUM(verbrauch) FROM zaehlerstand WHERE medium = 'Wasser'", "SELECT SUM(CASE WHEN masseinheit = 'Liter' THEN verbrauch / 1000.0 ELSE verbrauch END) FROM zaehlerstand WHERE medium = 'Wasser'"],
  ['Which buildings are insured for more than 5 million euros?', 'SELECT bezeichnung FROM objekt WHERE versicherungswert_cent > 5000000', 'SELECT bezeichnung FROM objekt WHERE versicherungswert_cent > 500000000'],
  // missing group
  ['invoice count by year and status', "SELECT strftime('%Y', rechnungsdatum) AS jahr, status, COUNT(*) FROM rechnung GROUP BY jahr", "SELECT strftime('%Y', rechnungsdatum) AS jahr, status, COUNT(*) FROM rechnung GROUP BY jahr, status"],
  ['Consumption in kWh per building and medium', "SELECT o.bezeichnung, z.medium, SUM(z.verbrauch) FROM zaehlerstand z JOIN einheit e ON e.id = z.einheit_id JOIN objekt o ON o.id = e.objekt_id WHERE z.masseinheit = 'kWh' GROUP BY o.id, o.bezeichnung", "SELECT o.bezeichnung, z.medium, SUM(z.verbrauch) FROM zaehlerstand z JOIN einheit e ON e.id = z.einheit_id JOIN objekt o ON o.id = e.objekt_id WHERE z.masseinheit = 'kWh' GROUP BY o.id, o.bezeichnung, z.medium"],
  // boolean as text
  ['Summe der vereinbarten, aber noch nicht hinterlegten Kautionen aktiver Verträge', "SELECT SUM(kaution_betrag) FROM mietvertrag WHERE kaution_hinterlegt = 'false' AND status = 'aktiv'", "SELECT SUM(kaution_betrag) FROM mietvertrag WHERE kaution_hinterlegt = 0 AND status = 'aktiv'"],
  // value case
  ['List id and report date of the damage reports with high priority', "SELECT id, gemeldet_am FROM schadensmeldung WHERE prioritaet = 'HOCH'", "SELECT id, gemeldet_am FROM schadensmeldung WHERE prioritaet = 'hoch'"],
  // boolean as text
  ['Zahlungen per Lastschrift, die storniert wurden: Anzahl', "SELECT COUNT(*) FROM zahlung WHERE zahlungsart = 'Lastschrift' AND storniert_kz = 'J'", "SELECT COUNT(*) FROM zahlung WHERE zahlungsart = 'Lastschrift' AND storniert_kz = 1"],
], 'hausverwaltung');
