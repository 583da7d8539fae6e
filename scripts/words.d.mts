export function findRefusals(files: readonly { file: string; source: string }[]): string[];
