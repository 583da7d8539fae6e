import type { PersonTexts } from './reader.ts';

export const settingTexts: PersonTexts = {
  // Order lines
  keep_dir_missing: ({ accounts = [] }) =>
    accounts.length === 0
      ? 'is missing: it names the folder that keeps the lines which COMMERCE_FILL reads'
      : `is missing: it names the folder that keeps the lines of the fill of ${accounts.join(', ')}`,
  too_many_filled: ({ count, most }) =>
    `has fill for ${count} accounts: they stay open, which ${most} at most may`,
};
