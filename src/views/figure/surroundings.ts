/** Where the page is shown: the host’s theme, forms of numbers and colours, or the browser's own. */
import type { FigureTheme } from '../../analysis/figure/figure-chart.ts';
import { type FigureLocale, localeFor } from '../../analysis/figure/figure-text.ts';
import { isRecord, type JsonObject } from '../../core/json.ts';

export interface Surroundings {
  theme: FigureTheme;
  locale: FigureLocale;
}

/** The browser's own, until a host says otherwise. */
export function ownSurroundings(): Surroundings {
  const isDark = matchMedia('(prefers-color-scheme: dark)').matches;
  return { theme: isDark ? 'dark' : 'light', locale: localeFor(navigator.language) };
}

/**
 * What the surroundings become with a host's (partial) context. Its colours are handed to the style
 * sheet. Its fonts are not loaded: the page asks nothing of any address.
 */
export function withContext(known: Surroundings, context: JsonObject): Surroundings {
  const { theme, locale, styles, safeAreaInsets } = context;
  const variables = isRecord(styles) && isRecord(styles.variables) ? styles.variables : {};
  const { style } = document.documentElement;
  for (const [name, value] of Object.entries(variables))
    if (name.startsWith('--') && typeof value === 'string') style.setProperty(name, value);
  if (isRecord(safeAreaInsets))
    for (const side of ['top', 'right', 'bottom', 'left'])
      style.setProperty(`--inset-${side}`, `${Number(safeAreaInsets[side]) || 0}px`);
  return {
    theme: theme === 'light' || theme === 'dark' ? theme : known.theme,
    locale: typeof locale === 'string' ? localeFor(locale) : known.locale,
  };
}

/** Tells the style sheet. The colour scheme decides how a host's `light-dark()` values are read. */
export function applySurroundings({ theme }: Surroundings): void {
  const { documentElement } = document;
  documentElement.dataset.theme = theme;
  documentElement.style.colorScheme = theme;
}
