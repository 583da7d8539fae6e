/** What the page itself says. */
export const pageTexts = {
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
  ask: (label: string) => `Ask on about ${label}`,
  question: (label: string, heading: string) => `Tell me more about “${label}” in “${heading}”.`,
};
