import type { Redis } from './redis.ts';

/** What stands on the cell, and what time it is there. */
export interface CasResult {
  /** Whether the text was replaced by the one given. */
  isSwapped: boolean;
  /** Names this version of the text; empty where there is none. */
  stamp: string;
  /** Undefined where it is still the one of the stamp that was given. */
  text: string | undefined;
  /** Milliseconds of its clock. */
  clockMs: number;
}

/** One text that several processes change, one after the other. Every call ends within a bounded time. */
export interface CasCell {
  /** Replaces the text, if it is still the one of `stamp`; without `next` only looks. */
  exchange(stamp: string, next?: { stamp: string; text: string }): Promise<CasResult>;
}

/** Forgotten when nobody has written for two hours: no window is believed to last longer than one. */
const keptMs = 7_200_000;

const script = `
local time = redis.call('TIME')
local stamp = redis.call('HGET', KEYS[1], 'stamp') or ''
if ARGV[2] ~= '' and stamp == ARGV[1] then
  redis.call('HSET', KEYS[1], 'stamp', ARGV[2], 'text', ARGV[3])
  redis.call('PEXPIRE', KEYS[1], ARGV[4])
  return {1, ARGV[2], '', time[1], time[2]}
end
local text = ''
if stamp ~= ARGV[1] then text = redis.call('HGET', KEYS[1], 'text') or '' end
return {0, stamp, text, time[1], time[2]}
`;

/** A cell in Redis: one atomic script compares and sets. */
export function openCasCell(redis: Redis, key: string): CasCell {
  return {
    async exchange(stamp, next) {
      const given = [stamp, next?.stamp ?? '', next?.text ?? '', keptMs];
      const reply = await redis.run(script, [key], given);
      const [swapped, found, text, seconds, micros] = reply.map(String);
      return {
        isSwapped: swapped === '1',
        stamp: found ?? '',
        text: swapped === '1' || found === stamp ? undefined : text,
        clockMs: Number(seconds) * 1000 + Number(micros) / 1000,
      };
    },
  };
}
