-- klinik.sql - a hospital with German names: wards, doctors, patients, stays, treatments and bills.
CREATE TABLE stationen(id INTEGER PRIMARY KEY, name TEXT NOT NULL, etage INTEGER NOT NULL, betten INTEGER NOT NULL);
CREATE TABLE aerzte(id INTEGER PRIMARY KEY, vorname TEXT NOT NULL, nachname TEXT NOT NULL, fachgebiet TEXT NOT NULL,
  station_id INTEGER NOT NULL REFERENCES stationen(id), eingestellt_am DATE NOT NULL, ausgeschieden_am DATE, gehalt NUMERIC NOT NULL);
CREATE TABLE patienten(id INTEGER PRIMARY KEY, vorname TEXT NOT NULL, nachname TEXT NOT NULL, geburtsdatum DATE NOT NULL,
  geschlecht TEXT NOT NULL, versicherung TEXT NOT NULL, hausarzt TEXT);
CREATE TABLE aufenthalte(id INTEGER PRIMARY KEY, patient_id INTEGER NOT NULL REFERENCES patienten(id),
  station_id INTEGER NOT NULL REFERENCES stationen(id), aufnahmedatum DATE NOT NULL, entlassungsdatum DATE, grund TEXT NOT NULL);
CREATE TABLE behandlungen(id INTEGER PRIMARY KEY, aufenthalt_id INTEGER NOT NULL REFERENCES aufenthalte(id),
  arzt_id INTEGER NOT NULL REFERENCES aerzte(id), art TEXT NOT NULL, datum DATE NOT NULL, minuten INTEGER NOT NULL, kosten NUMERIC NOT NULL);
CREATE TABLE rechnungen(id INTEGER PRIMARY KEY, aufenthalt_id INTEGER NOT NULL REFERENCES aufenthalte(id), betrag NUMERIC NOT NULL,
  gestellt_am DATE NOT NULL, bezahlt_am DATE, status TEXT NOT NULL);

INSERT INTO stationen VALUES (1, 'Chirurgie', 1, 40), (2, 'Innere Medizin', 2, 55), (3, 'Pädiatrie', 3, 30), (4, 'Neurologie', 4, 25), (5, 'Geburtshilfe', 3, 20);
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 24)
INSERT INTO aerzte SELECT i, substr('AnnaBertCarlDoraEmilFinn', 1 + 4 * (i * 5 % 6), 4), substr('BauerFuchsKeltnLenauMozerNaumnOpitzRiehl', 1 + 5 * (i * 3 % 8), 5),
  CASE i % 5 WHEN 0 THEN 'Chirurgie' WHEN 1 THEN 'Kardiologie' WHEN 2 THEN 'Pädiatrie' WHEN 3 THEN 'Neurologie' ELSE 'Gynäkologie' END,
  1 + i % 5, date('2006-04-01', (i * 11 % 18) || ' years'), CASE WHEN i % 8 = 0 THEN '2024-12-31' END, 70000 + 2500 * (i * 7 % 20) FROM n;
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 300)
INSERT INTO patienten SELECT i, substr('LeniPaulIrmaHansEdisOtto', 1 + 4 * (i % 6), 4), substr('AdamsBrandCzechDietzErnstFalkeGroteHelms', 1 + 5 * (i * 3 % 8), 5),
  date('1935-03-02', (i * 97 % 30000) || ' days'), CASE WHEN i % 2 = 0 THEN 'weiblich' ELSE 'männlich' END,
  CASE WHEN i % 5 = 0 THEN 'privat' ELSE 'gesetzlich' END, CASE WHEN i % 4 > 0 THEN 'Praxis ' || (i % 9) END FROM n;
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 480)
INSERT INTO aufenthalte SELECT i, 1 + i * 7 % 290, 1 + i * 3 % 5, date('2024-01-02', (i * 11 % 540) || ' days'),
  CASE WHEN i % 15 > 0 THEN date('2024-01-02', (i * 11 % 540 + 1 + i % 9) || ' days') END,
  CASE i % 4 WHEN 0 THEN 'Notfall' WHEN 1 THEN 'Operation' WHEN 2 THEN 'Untersuchung' ELSE 'Beobachtung' END FROM n;
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1100)
INSERT INTO behandlungen SELECT b.i, a.id, 1 + b.i * 5 % 23, CASE b.i % 3 WHEN 0 THEN 'Operation' WHEN 1 THEN 'Röntgen' ELSE 'Beratung' END,
  date(a.aufnahmedatum, (b.i % 3) || ' days'), 10 + b.i % 90, 40 + b.i * 13 % 900 FROM n b JOIN aufenthalte a ON a.id = 1 + b.i * 7 % 470;
INSERT INTO rechnungen SELECT id, id, 300 + id * 37 % 4000, entlassungsdatum, CASE WHEN id % 4 > 0 THEN date(entlassungsdatum, '20 days') END,
  CASE WHEN id % 4 > 0 THEN 'bezahlt' WHEN id % 8 = 0 THEN 'gemahnt' ELSE 'offen' END FROM aufenthalte WHERE entlassungsdatum IS NOT NULL AND id % 11 > 0;
