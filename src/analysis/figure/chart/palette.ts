/** Colours of figures, and what tells their series apart without colour. */

export type FigureTheme = 'light' | 'dark';

/** The colours of a picture. */
export interface Palette {
  text: string;
  muted: string;
  line: string;
  /** What lies behind: drawn only where a picture stands by itself. */
  background: string;
  mark: string;
  series: readonly string[];
}

// Each series stands out from its background by 3:1 or more, and from its neighbours for readers who
// cannot tell red from green.
const palettes: Record<FigureTheme, Palette> = {
  light: {
    text: '#1b1f27',
    muted: '#565d6b',
    line: '#dfe2e8',
    background: '#ffffff',
    mark: '#a8320a',
    series: ['#2456c9', '#d0660a', '#0d8273', '#8b3fd1', '#b52a62', '#66700b'],
  },
  dark: {
    text: '#eceff4',
    muted: '#aeb6c4',
    line: '#3a414d',
    background: '#1a1d23',
    mark: '#ffb38a',
    series: ['#7ba5ff', '#ffaa5e', '#4fd0b8', '#c9a2ff', '#ff93b8', '#cbd35e'],
  },
};

export function paletteOf(theme: FigureTheme): Palette {
  return palettes[theme];
}

/** What one series looks like. */
export interface SeriesLook {
  color: string;
  /** Of a line. */
  dash: 'solid' | number[];
  /** Of a line's points. */
  symbol: string;
  /** Of bars; the first ones are plain. */
  decal?: { [part: string]: unknown };
}

/** The look of a series by its place: no two of twelve share both colour and pattern. */
export function lookOf(index: number, { series, background }: Palette): SeriesLook {
  const pattern = decals[index % decals.length];
  return {
    color: series[index % series.length] ?? 'currentColor',
    dash: dashes[index % dashes.length] ?? 'solid',
    symbol: symbols[index % symbols.length] ?? 'circle',
    ...(pattern && { decal: { color: `${background}b0`, ...pattern } }),
  };
}

const dashes: readonly ('solid' | number[])[] = ['solid', [7, 4], [2, 3], [10, 4, 2, 4]];

const symbols = ['circle', 'rect', 'triangle', 'diamond'];

const quarter = Math.PI / 4;

const decals = [
  undefined,
  { symbol: 'rect', dashArrayX: [1, 0], dashArrayY: [2, 6], rotation: -quarter },
  {
    symbol: 'circle',
    symbolSize: 0.6,
    dashArrayX: [
      [6, 6],
      [0, 6, 6, 0],
    ],
    dashArrayY: [6, 0],
  },
  { symbol: 'rect', dashArrayX: [1, 0], dashArrayY: [2, 6], rotation: quarter },
];
