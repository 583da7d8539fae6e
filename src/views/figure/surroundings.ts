/** Theme, locale and colours of the figure, from the host or else from the browser. */
import type { FigureTheme } from '../../analysis/figure/figure-chart.ts';
import { type FigureLocale, localeFor } from '../../analysis/figure/figure-text.ts';
import { isRecord, type JsonObject } from '../../core/json.ts';

export interface Surroundings {
  theme: FigureTheme;
  locale: FigureLocale;
}

/** The surroundings until a host sends others. */
export function browserSurroundings(): Surroundings {
  const isDark = matchMedia('(prefers-color-scheme: dark)').matches;
  return { theme: isDark ? 'dark' : 'light', locale: localeFor(navigator.language) };
}

/**
 * Applies a (partial) context of the host. Colours go to the style sheet. Fonts are not loaded, since the page
 * requests no address.
 */
export function applyContext(current: Surroundings, context: JsonObject): Surroundings {
  const { theme, locale, styles, safeAreaInsets } = context;
  const variables = isRecord(styles) && isRecord(styles.variables) ? styles.variables : {};
  const { style } = document.documentElement;
  for (const [name, value] of Object.entries(variables))
    if (name.startsWith('--') && typeof value === 'string') style.setProperty(name, value);
  if (isRecord(safeAreaInsets))
    for (const side of ['top', 'right', 'bottom', 'left'])
      style.setProperty(`--inset-${side}`, `${Number(safeAreaInsets[side]) || 0}px`);
  return {
    theme: theme === 'light' || theme === 'dark' ? theme : current.theme,
    locale: typeof locale === 'string' ? localeFor(locale) : current.locale,
  };
}

/** Sets the theme in the style sheet. The colour scheme decides how `light-dark()` values of the host are read. */
export function applySurroundings({ theme }: Surroundings): void {
  const { documentElement } = document;
  documentElement.dataset.theme = theme;
  documentElement.style.colorScheme = theme;
}
