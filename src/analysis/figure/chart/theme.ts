/** Colours of figures. */

export type FigureTheme = 'light' | 'dark';

export interface Colors {
  text: string;
  muted: string;
  line: string;
  background: string;
  mark: string;
  /** Five, so that with the library's six patterns, or three dashes, no two of twelve series look alike. */
  series: readonly string[];
}

// Each series stands out from its background by 3:1 or more, and from its neighbours for readers who
// cannot distinguish red from green.
export const colorsOf: Record<FigureTheme, Colors> = {
  light: {
    text: '#1b1f27',
    muted: '#565d6b',
    line: '#dfe2e8',
    background: '#ffffff',
    mark: '#a8320a',
    series: ['#2456c9', '#d0660a', '#0d8273', '#8b3fd1', '#b52a62'],
  },
  dark: {
    text: '#eceff4',
    muted: '#aeb6c4',
    line: '#3a414d',
    background: '#1a1d23',
    mark: '#ffb38a',
    series: ['#7ba5ff', '#ffaa5e', '#4fd0b8', '#c9a2ff', '#ff93b8'],
  },
};
