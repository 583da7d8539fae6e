/** The name and version of this package, wherever it runs. */
import packageJson from '../../package.json' with { type: 'json' };
import { builtFile } from './files.ts';

export const version: string = packageJson.version;

/** Whether the package is published: until then nothing may tell a reader to fetch it. */
export const isPublished: boolean = packageJson.published;

/** The name under which the package may be fetched from a registry, once its owner has published it. */
export const packageName: string = packageJson.name;

/** A folder of the package, next to `dist/`. */
export function packaged(folder: string): string {
  return builtFile(`../${folder}`) ?? folder;
}
