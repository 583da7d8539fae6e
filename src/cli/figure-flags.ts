/** The flags of commands that can write a figure. */
export const figureFlags = {
  html: { type: 'string', about: 'Write the figure to this file: one page for any browser' },
  svg: { type: 'string', about: 'Write the figure to this file as a picture, for slides and mail' },
} as const;
