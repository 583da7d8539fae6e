export function writeLicences(inputs: Iterable<string>, outfile: string): string[];
export function folderOf(path: string): string | undefined;
export function isAllowed(licence: string): boolean;
