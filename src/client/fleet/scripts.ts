/**
 * The rules of rate-limit/budget.ts for several replicas, as scripts that Redis runs one at a time
 * over its own clock. Nothing that is found there is trusted: what is of another type is deleted,
 * what is no number counts as nothing.
 */
import { maxPrefetch, probePatienceMs, timerGuardMs } from '../rate-limit/budget.ts';

/** How often a replica registers anew what it has under way. */
export const beatMs = 1000;

/** A replica, or a request under way, that was not registered for so long counts as gone. */
const leaseMs = 5000;

/** The names of the keys, in the order that the scripts expect. */
export const budgetKeys = ['budget', 'flight', 'probes', 'replicas'];

/** Reads the state; `flight` holds the requests under way, named `window:replica:number`. */
const begin = `
local budget, flight, probes, replicas = KEYS[1], KEYS[2], KEYS[3], KEYS[4]
for at, kind in ipairs({'hash', 'zset', 'zset', 'zset'}) do
  local found = redis.call('TYPE', KEYS[at]).ok
  if found ~= kind and found ~= 'none' then redis.call('DEL', KEYS[at]) end
end
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local given = redis.call('HMGET', budget, 'meter', 'limit', 'windowMs', 'remaining', 'resetAt',
  'window', 'slackMs', 'refusals', 'counted')
local function count(at, otherwise, most)
  local value = tonumber(given[at])
  if value == nil or value ~= value then return otherwise end
  return math.min(math.max(math.floor(value), 0), most)
end
local meter = (given[1] == 'on' or given[1] == 'off') and given[1] or 'unknown'
local limit, windowMs = count(2, 1, 1e9), count(3, 60000, 3600000)
local remaining, resetAt = count(4, 0, limit), count(5, 0, now + 3700000)
local window, slackMs, refusals = count(6, 0, 2^52), count(7, 0, 1000), count(8, 0, 100)
local counted = count(9, 0, 1e9)
for _, id in ipairs(redis.call('ZRANGEBYSCORE', flight, '-inf', now)) do
  redis.call('ZREM', flight, id)
  if tonumber(string.match(id, '^%d+')) == window then
    remaining, counted = remaining - 1, counted - 1
  end
end
redis.call('ZREMRANGEBYSCORE', probes, '-inf', now)
redis.call('ZREMRANGEBYSCORE', replicas, '-inf', now - ${leaseMs})
redis.call('ZADD', replicas, now, ARGV[1])
local function finish(granted, isProbe)
  redis.call('HSET', budget, 'meter', meter, 'limit', limit, 'windowMs', windowMs,
    'remaining', remaining, 'resetAt', resetAt, 'window', window, 'slackMs', slackMs,
    'refusals', refusals, 'counted', counted)
  for _, key in ipairs(KEYS) do redis.call('PEXPIRE', key, 7200000) end
  local probe = redis.call('ZRANGE', probes, 0, 0, 'WITHSCORES')[2]
  local probeLeft = probe and math.max(0, probe - now) or 0
  local left = math.min(remaining, counted)
  return {granted, isProbe, meter, limit, windowMs, left, math.max(resetAt - now, -windowMs),
    window, redis.call('ZCARD', flight), probeLeft, redis.call('ZCARD', replicas)}
end
`;

/**
 * Takes leave for one request, or only registers a replica and what it has under way.
 * ARGV: replica, priority ('' to register only), number, then the requests under way.
 */
export const takeScript = `${begin}
local me, priority, number = ARGV[1], ARGV[2], ARGV[3]
for at = 4, #ARGV do redis.call('ZADD', flight, now + ${leaseMs}, ARGV[at]) end
if priority == '' then return finish(0, 0) end
local inFlight, probing = redis.call('ZCARD', flight), redis.call('ZCARD', probes)
local hasRolled = now >= resetAt + ${timerGuardMs}
local isProbe = meter == 'unknown' or (meter == 'on' and hasRolled)
local free
if meter == 'off' then free = 1
elseif meter == 'unknown' then
  free = 1 - probing
  if priority == 'prefetch' and probing > 0 then free = free + ${maxPrefetch} end
elseif hasRolled then
  free = math.min(math.max(1, math.floor(limit / 10)) - probing, limit - inFlight)
else
  free = math.min(remaining, counted) - inFlight
  if priority ~= 'interactive' then
    local whole = math.min(20, math.max(1, math.ceil(limit / 10)), math.max(0, limit - 1))
    free = free - math.floor(whole * math.min(1, (resetAt - now) / windowMs) + 0.5)
  end
end
if free < 1 then return finish(0, 0) end
local id = window .. ':' .. me .. ':' .. number
redis.call('ZADD', flight, now + ${leaseMs}, id)
if isProbe then redis.call('ZADD', probes, now + ${probePatienceMs}, id) end
return finish(1, isProbe and 1 or 0)
`;

/**
 * A request ended. ARGV: replica, id, window, whether it was a probe, milliseconds since it was
 * granted, status (0: lost, '': never sent), then of its answer, each '' where not given: limit,
 * remaining, reset in ms, window in ms, Retry-After in ms.
 */
export const settleScript = `${begin}
local id, status = ARGV[2], tonumber(ARGV[6])
local isOwn, isProbe = tonumber(ARGV[3]) == window, ARGV[4] == '1'
local sentAt = now - tonumber(ARGV[5])
local newLimit, newRemaining, resetMs = tonumber(ARGV[7]), tonumber(ARGV[8]), tonumber(ARGV[9])
local newWindowMs, retryAfterMs = tonumber(ARGV[10]), tonumber(ARGV[11])
redis.call('ZREM', flight, id)
redis.call('ZREM', probes, id)
local inFlight = redis.call('ZCARD', flight)
local function believed(ms) return ms > 3600000 and 60000 or ms end
local function placeOf(left, reset)
  if meter ~= 'on' or sentAt >= resetAt then return 'newer' end
  if reset and sentAt + reset - 1000 >= resetAt then return 'newer' end
  if isOwn then return 'current' end
  local isStale = not reset or now + reset + 1000 < resetAt
  if isStale or (left or -1) < math.min(remaining, counted) - inFlight - 1 then return 'older' end
  return 'current'
end
if not status then return finish(0, 0) end
if status == 0 then
  if meter == 'unknown' then meter = 'off'
  elseif isOwn then remaining, counted = remaining - 1, counted - 1 end
elseif status == 429 then
  local hold = (newRemaining or 0) > 0 and 0 or (resetMs or 0)
  hold = believed(retryAfterMs or hold)
  if placeOf(0, math.ceil(hold / 1000) * 1000) ~= 'older' then
    if refusals > 0 and not isOwn then
      resetAt = math.max(resetAt, now + hold)
    else
      if isProbe and meter == 'on' then slackMs = 1000 end
      local least = math.min(1000 * 2 ^ refusals, 60000)
      meter, refusals, window = 'on', refusals + 1, window + 1
      remaining, counted = 0, inFlight
      limit = math.max(1, newLimit or limit)
      windowMs = newWindowMs or windowMs
      resetAt = now + math.max(hold, least)
    end
  end
elseif not newLimit and not newRemaining then
  local tells = status < 500 or meter == 'unknown'
  if isProbe and isOwn and status ~= 401 and tells then meter = 'off' end
else
  if resetMs == 0 and slackMs == 0 then slackMs, resetAt = 1000, resetAt + 1000 end
  local place = placeOf(newRemaining, resetMs)
  if place == 'newer' then
    limit = math.max(1, newLimit or math.max(limit, newRemaining or 0))
    windowMs = newWindowMs or (meter == 'on' and windowMs or 60000)
    meter, window, refusals = 'on', window + 1, 0
    remaining = newRemaining or limit - 1
    counted = remaining + inFlight
    resetAt = now + believed(resetMs or windowMs) + slackMs
  elseif place == 'current' then
    limit = newLimit or limit
    remaining = math.min(remaining, newRemaining or remaining - 1)
    counted = math.min(counted - 1, (newRemaining or counted) + inFlight)
    if resetMs then resetAt = math.min(resetAt, now + resetMs + slackMs) end
    refusals = 0
  else
    counted = math.max(remaining, counted - 1)
  end
end
return finish(0, 0)
`;
