/**
 * The rules of rate-limit/budget.ts for several replicas, as scripts that Redis runs one at a time
 * over its own clock. Nothing that is found there is trusted: what is of another type is deleted,
 * what is no number counts as nothing.
 */
import {
  guardMs,
  maxRefusals,
  maxUnknown,
  probePatienceMs,
  shortestHoldMs,
} from '../rate-limit/budget.ts';

/** The names of the keys, in the order that the scripts expect. */
export const budgetKeys = ['budget', 'flight', 'replicas'];

/** How often a replica registers anew what it has under way. */
export const beatMs = 1000;

/** A replica that was not heard of for so long is gone. */
const leaseMs = 5000;

/**
 * Reads the state. `flight` holds the requests under way until their leases end; what has ended
 * without an answer counts until the window rolls, for the platform may have counted it.
 */
const begin = `
local budget, flight, replicas = KEYS[1], KEYS[2], KEYS[3]
for at, kind in ipairs({'hash', 'zset', 'zset'}) do
  if redis.call('TYPE', KEYS[at]).ok ~= kind then redis.call('DEL', KEYS[at]) end
end
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local found = redis.call('HMGET', budget, 'limit', 'windowMs', 'remaining', 'openedAt', 'resetAt',
  'probeUntil', 'roundingAllowanceMs', 'heldUntil', 'refusals')
local function count(at, otherwise, most)
  local value = tonumber(found[at])
  if value == nil or value ~= value then return otherwise end
  return math.min(math.max(math.floor(value), 0), most)
end
local limit, windowMs = math.max(1, count(1, ${maxUnknown}, 1e12)), count(2, 60000, 3600000)
local remaining, openedAt, resetAt = count(3, 0, 1e12), count(4, 0, now), count(5, 0, now + 3700000)
local probeUntil, roundingAllowanceMs = count(6, 0, now + ${probePatienceMs}), count(7, 0, 1000)
local heldUntil, refusals = count(8, 0, now + 3700000), count(9, 0, ${maxRefusals})
redis.call('ZREMRANGEBYSCORE', replicas, '-inf', now - ${leaseMs})
redis.call('ZADD', replicas, now, ARGV[1])
local function forgetEnded() redis.call('ZREMRANGEBYSCORE', flight, '-inf', now) end
if now >= resetAt then forgetEnded() end
local function finish(granted, isProbe)
  redis.call('HSET', budget, 'limit', limit, 'windowMs', windowMs, 'remaining', remaining,
    'openedAt', openedAt, 'resetAt', resetAt, 'probeUntil', probeUntil,
    'roundingAllowanceMs', roundingAllowanceMs, 'heldUntil', heldUntil, 'refusals', refusals)
  for _, key in ipairs(KEYS) do redis.call('PEXPIRE', key, 7200000) end
  return {granted, isProbe, limit, windowMs, remaining, resetAt > 0 and resetAt - now or 'unknown',
    probeUntil - now, heldUntil - now, refusals, redis.call('ZCARD', flight),
    redis.call('ZCARD', replicas)}
end
`;

/**
 * Takes leave for one request, or only registers a replica and what it has under way. ARGV: replica,
 * share of the limit to leave to the end ('' to register only), share to leave that decays, whether it
 * is a prefetch, the request's name, then the requests under way.
 */
const take = `${begin}
for at = 6, #ARGV do redis.call('ZADD', flight, now + ${leaseMs}, ARGV[at]) end
local kept, decaying, isPrefetch, id = tonumber(ARGV[2]), tonumber(ARGV[3]), ARGV[4] == '1', ARGV[5]
if not kept or now < heldUntil then return finish(0, 0) end
if refusals > 0 and now < probeUntil then return finish(0, 0) end
local hasRolled, free = now >= resetAt, -redis.call('ZCARD', flight)
if not hasRolled then
  local share = math.min(1, (resetAt - now) / windowMs)
  local reserve = math.floor(limit * (kept + decaying * share) + 0.5)
  free = free + remaining - math.min(limit - 1, reserve)
elseif now >= probeUntil then free = free + limit
elseif isPrefetch or resetAt == 0 then free = free + math.min(limit, ${maxUnknown}) end
if free < 1 then return finish(0, 0) end
redis.call('ZADD', flight, now + ${leaseMs}, id)
local isProbe = hasRolled or refusals > 0
if isProbe then probeUntil = now + ${probePatienceMs} end
return finish(1, isProbe and 1 or 0)
`;

/**
 * A request ended. ARGV: replica, the request's name, whether it was a probe, milliseconds since it
 * was granted, what its end says (a kind of news, `lost` or `nothing`), then of the news, each ''
 * where not given: limit, remaining, reset and window in ms.
 */
const settle = `${begin}
local id, isProbe, sentAt, kind = ARGV[2], ARGV[3] == '1', now - tonumber(ARGV[4]), ARGV[5]
local newLimit, newRemaining = tonumber(ARGV[6]), tonumber(ARGV[7])
local resetMs, newWindowMs = tonumber(ARGV[8]), tonumber(ARGV[9])
local isTimed, isUntimed = kind == 'timedRefusal', kind == 'untimedRefusal'
if isProbe then probeUntil = 0 end
if kind == 'lost' then redis.call('ZADD', flight, now, id) else redis.call('ZREM', flight, id) end
if kind == 'lost' or kind == 'nothing' then return finish(0, 0) end
local function learn()
  if isTimed and isProbe and resetAt > 0 and sentAt >= resetAt then roundingAllowanceMs = 1000 end
  limit, windowMs = newLimit or math.max(limit, newRemaining or 0), newWindowMs or windowMs
  local newResetAt = now + (resetMs or windowMs) + roundingAllowanceMs + ${guardMs}
  local endsAt = sentAt + math.max(0, (resetMs or 0) - 1000)
  if isTimed or (sentAt >= heldUntil and endsAt >= resetAt) then
    if resetAt > 0 then forgetEnded() end
    remaining, resetAt, openedAt = newRemaining or limit - 1, newResetAt, now
  elseif sentAt >= openedAt or newResetAt + 1000 >= resetAt then
    remaining = math.min(remaining, newRemaining or remaining - 1)
    resetAt = math.min(resetAt, newResetAt)
  end
end
if isTimed or newLimit or newRemaining then learn() end
local isNew = sentAt >= heldUntil or refusals == 0
if isNew then refusals = isUntimed and math.min(${maxRefusals}, refusals + 1) or 0 end
if isTimed or isUntimed then
  local untilAt = now < resetAt and resetAt or now + windowMs
  if isUntimed then untilAt = math.min(untilAt, now + ${shortestHoldMs} * 2 ^ (refusals - 1)) end
  heldUntil = math.max(heldUntil, untilAt)
end
return finish(0, 0)
`;

/** By their names, as ioredis takes them: Redis gets the text of one once, and its digest from then on. */
export const scripts = {
  takePermit: { lua: take, numberOfKeys: budgetKeys.length },
  settlePermit: { lua: settle, numberOfKeys: budgetKeys.length },
};
