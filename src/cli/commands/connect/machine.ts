import { posix, win32 } from 'node:path';

/** What of a computer says where applications keep their settings. */
export interface Machine {
  platform: NodeJS.Platform;
  env: Readonly<Record<string, string | undefined>>;
  /** The home folder of whoever sits there. */
  home: string;
}

/** A path in the form that the machine's own system writes it. */
export function pathOn({ platform }: Pick<Machine, 'platform'>, ...parts: string[]): string {
  return (platform === 'win32' ? win32 : posix).join(...parts);
}

/** A file or folder within the home folder. */
export function inHome(machine: Machine, ...parts: string[]): string {
  return pathOn(machine, machine.home, ...parts);
}

/** A file or folder where desktop applications keep their settings on this system. */
export function inSettings(machine: Machine, ...parts: string[]): string {
  const { platform, env } = machine;
  if (platform === 'win32')
    return pathOn(machine, env.APPDATA || inHome(machine, 'AppData', 'Roaming'), ...parts);
  if (platform === 'darwin') return inHome(machine, 'Library', 'Application Support', ...parts);
  return inXdgConfig(machine, ...parts);
}

/** A file or folder where programs of the command line keep their settings, on Linux and macOS alike. */
export function inXdgConfig(machine: Machine, ...parts: string[]): string {
  return pathOn(machine, machine.env.XDG_CONFIG_HOME || inHome(machine, '.config'), ...parts);
}
