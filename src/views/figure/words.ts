import type { FigureLocale } from '../../analysis/figure/figure-text.ts';

const dutch = {
  loading: 'De cijfers worden gelezen…',
  cancelled: 'De vraag is afgebroken; er is niets te tekenen.',
  emptied: 'Deze figuur is niet bewaard gebleven. Stel de vraag opnieuw om haar te zien.',
  error: 'De figuur kon niet worden gemaakt',
  picture: 'Figuur',
  howToRead: 'Lees met de pijltjestoetsen; Home en End gaan naar de eerste en de laatste.',
  table: 'Tabel',
  csv: 'CSV opslaan',
  copy: 'Kopiëren',
  copied: 'Gekopieerd.',
  selected: 'Hieronder staat de tabel als CSV, geselecteerd om te kopiëren.',
  saved: 'Opgeslagen.',
  csvText: 'De tabel als CSV',
  scroll: 'Tabel, schuift opzij',
  ask: (label: string) => `Vraag verder over ${label}`,
  question: (label: string, heading: string) => `Vertel me meer over “${label}” in “${heading}”.`,
};

const english: typeof dutch = {
  loading: 'Reading the figures…',
  cancelled: 'The question was cancelled; there is nothing to draw.',
  emptied: 'This figure was not kept. Ask again to see it.',
  error: 'The figure could not be made',
  picture: 'Figure',
  howToRead: 'Read with the arrow keys; Home and End go to the first and the last.',
  table: 'Table',
  csv: 'Save CSV',
  copy: 'Copy',
  copied: 'Copied.',
  selected: 'Below is the table as CSV, selected for copying.',
  saved: 'Saved.',
  csvText: 'The table as CSV',
  scroll: 'Table, scrolls sideways',
  ask: (label) => `Ask on about ${label}`,
  question: (label, heading) => `Tell me more about “${label}” in “${heading}”.`,
};

/** What the page itself says. */
export function viewWords(locale: FigureLocale): typeof dutch {
  return locale === 'nl' ? dutch : english;
}
