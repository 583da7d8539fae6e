/** Elements of the page, and its own texts. */

/** Makes an element. Text stays text: no markup is read. */
export function element<Tag extends keyof HTMLElementTagNameMap>(
  tag: Tag,
  attributes: { [name: string]: string | boolean | (() => void) | undefined } = {},
  ...children: (Node | string)[]
): HTMLElementTagNameMap[Tag] {
  const created = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === 'function') created.addEventListener('click', value);
    else if (value === true) created.setAttribute(name, '');
    else if (typeof value === 'string') created.setAttribute(name, value);
  }
  created.append(...children);
  return created;
}

export const pageTexts = {
  loading: 'Reading the figures…',
  cancelled: 'The question was cancelled; there is nothing to draw.',
  emptied: 'This figure was not kept. Ask again to see it.',
  error: 'The figure could not be made',
  picture: 'Figure',
  howToRead: 'Read with the arrow keys; Home and End go to the first and the last.',
  table: 'Table',
  scroll: 'Table, scrolls sideways',
  ask: (label: string) => `Ask more about ${label}`,
  question: (label: string, heading: string) => `Tell me more about “${label}” in “${heading}”.`,
};
