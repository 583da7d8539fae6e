/**
 * The rules of rate-limit/budget.ts for several replicas, as scripts that Redis runs one at a time
 * over its own clock. Nothing that is found there is trusted: what is of another type is deleted,
 * what is no number counts as nothing.
 */
import { maxPrefetch, pauses, probePatienceMs, timerGuardMs } from '../rate-limit/budget.ts';

/** How often a replica registers anew what it has under way. */
export const beatMs = 1000;

/** A replica, or a request under way, that was not registered for so long counts as gone. */
const leaseMs = 5000;

/** The names of the keys, in the order that the scripts expect. */
export const budgetKeys = ['budget', 'flight', 'replicas'];

/** Reads the state; `flight` holds the requests under way. */
const begin = `
local budget, flight, replicas = KEYS[1], KEYS[2], KEYS[3]
for at, kind in ipairs({'hash', 'zset', 'zset'}) do
  local found = redis.call('TYPE', KEYS[at]).ok
  if found ~= kind and found ~= 'none' then redis.call('DEL', KEYS[at]) end
end
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local given = redis.call('HMGET', budget, 'meter', 'probe', 'limit', 'windowMs', 'remaining',
  'lost', 'openedAt', 'resetAt', 'slackMs', 'probeAt', 'pauseMs')
local function count(at, otherwise, most)
  local value = tonumber(given[at])
  if value == nil or value ~= value then return otherwise end
  return math.min(math.max(math.floor(value), 0), most)
end
local meter = (given[1] == 'on' or given[1] == 'off') and given[1] or 'unknown'
local limit, windowMs = count(3, 1, 1e9), count(4, 60000, 3600000)
local remaining, lost = count(5, 0, limit), count(6, 0, 1e9)
local openedAt, resetAt, slackMs = count(7, 0, now), count(8, 0, now + 3700000), count(9, 0, 1000)
local probe, probeAt = given[2] or '', count(10, 0, now)
local pauseMs = count(11, ${pauses.shortestMs}, ${pauses.longestMs})
lost = lost + redis.call('ZREMRANGEBYSCORE', flight, '-inf', now)
redis.call('ZREMRANGEBYSCORE', replicas, '-inf', now - ${leaseMs})
redis.call('ZADD', replicas, now, ARGV[1])
local function finish(granted, isProbe)
  redis.call('HSET', budget, 'meter', meter, 'probe', probe, 'limit', limit, 'windowMs', windowMs,
    'remaining', remaining, 'lost', lost, 'openedAt', openedAt, 'resetAt', resetAt,
    'slackMs', slackMs, 'probeAt', probeAt, 'pauseMs', pauseMs)
  for _, key in ipairs(KEYS) do redis.call('PEXPIRE', key, 7200000) end
  local probeAgo = probe ~= '' and now - probeAt or -1
  return {granted, isProbe, meter, limit, windowMs, remaining - lost,
    math.max(resetAt - now, -windowMs), redis.call('ZCARD', flight), probeAgo,
    redis.call('ZCARD', replicas)}
end
`;

/**
 * Takes leave for one request, or only registers a replica and what it has under way.
 * ARGV: replica, melting share of the limit to leave ('' to register only), share to leave to the end,
 * whether it is a prefetch, the request's name, then the requests under way.
 */
export const takeScript = `${begin}
local melting, kept = tonumber(ARGV[2]), tonumber(ARGV[3])
local isPrefetch, id = ARGV[4] == '1', ARGV[5]
for at = 6, #ARGV do redis.call('ZADD', flight, now + ${leaseMs}, ARGV[at]) end
if not melting then return finish(0, 0) end
local inFlight = redis.call('ZCARD', flight)
local isProbing = probe ~= '' and now - probeAt < ${probePatienceMs}
local hasRolled = now >= resetAt + ${timerGuardMs}
local free
if meter == 'off' then free = 1
elseif meter == 'unknown' or hasRolled then
  local most = meter == 'unknown' and 1 + ${maxPrefetch} or limit
  if not isProbing then free = meter == 'unknown' and 1 or most - inFlight
  else free = isPrefetch and math.min(most, 1 + ${maxPrefetch}) - inFlight or 0 end
else
  local function whole(part) return math.min(math.ceil(limit * part), limit - 1) end
  local share = math.min(1, math.max(0, (resetAt - now) / windowMs))
  free = remaining - lost - inFlight - whole(kept) - math.floor(whole(melting) * share + 0.5)
end
if free < 1 then return finish(0, 0) end
redis.call('ZADD', flight, now + ${leaseMs}, id)
if meter == 'unknown' or (meter == 'on' and hasRolled) then
  probe, probeAt = id, now
  return finish(1, 1)
end
return finish(1, 0)
`;

/**
 * A request ended. ARGV: replica, the request's name, whether it was a probe, milliseconds since it
 * was granted, status (0: lost, '': never sent), then of its answer, each '' where not given: limit,
 * remaining, reset in ms, window in ms, Retry-After in ms.
 */
export const settleScript = `${begin}
local id, isProbe, status = ARGV[2], ARGV[3] == '1', tonumber(ARGV[5])
local sentAt, isRefused = now - tonumber(ARGV[4]), status == 429
local newLimit, newRemaining, resetMs = tonumber(ARGV[6]), tonumber(ARGV[7]), tonumber(ARGV[8])
local newWindowMs, retryAfterMs = tonumber(ARGV[9]), tonumber(ARGV[10])
redis.call('ZREM', flight, id)
if probe == id then probe = '' end
local function believed(ms) return ms > 3600000 and 60000 or ms end
if not status then return finish(0, 0) end
if status == 0 then
  if meter == 'unknown' then meter = 'off' else lost = lost + 1 end
  return finish(0, 0)
end
if not isRefused and not newLimit and not newRemaining then
  if isProbe and status ~= 401 and (status < 500 or meter == 'unknown') then meter = 'off' end
  return finish(0, 0)
end
if isRefused then
  local hold = (newRemaining or 0) > 0 and 0 or (resetMs or 0)
  resetMs = believed(retryAfterMs or hold)
end
local isRoundedDown = resetMs == 0
if isRefused then isRoundedDown = isProbe and meter == 'on' end
if isRoundedDown and slackMs == 0 then slackMs, resetAt = 1000, resetAt + 1000 end
local isNewer = meter ~= 'on' or sentAt >= resetAt
  or (resetMs ~= nil and sentAt + resetMs - 1000 >= resetAt)
local isStale = resetMs ~= nil and now + resetMs + 1000 < resetAt
if not isNewer and isStale and sentAt < openedAt then return finish(0, 0) end
if not isRefused then pauseMs = ${pauses.shortestMs} end
if not isNewer and not isRefused then
  limit = newLimit or limit
  remaining = math.min(remaining, newRemaining or remaining - 1)
  resetAt = math.min(resetAt, now + (resetMs or 3600000) + slackMs)
  return finish(0, 0)
end
limit = math.max(1, newLimit or math.max(limit, newRemaining or 0))
windowMs = newWindowMs or windowMs
remaining = isRefused and 0 or newRemaining or limit - 1
if not isRefused then resetAt = now + believed(resetMs or windowMs) + slackMs
elseif meter == 'on' and sentAt < openedAt then resetAt = math.max(resetAt, now + resetMs)
else
  resetAt = now + math.max(resetMs, pauseMs)
  pauseMs = math.min(2 * pauseMs, ${pauses.longestMs})
end
meter, openedAt, lost = 'on', now, 0
return finish(0, 0)
`;
