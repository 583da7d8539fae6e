/** The name and version of this package, wherever it runs. */
import packageJson from '../../package.json' with { type: 'json' };
import { builtFile } from './files.ts';

export const version: string = packageJson.version;

/** Until it is true, no text may tell a reader to fetch the package. */
export const isPublished: boolean = packageJson.published;

export const packageName: string = packageJson.name;

/** A folder of the package, next to `dist/`. */
export function packageFolder(folder: string): string {
  return builtFile(`../${folder}`) ?? folder;
}
