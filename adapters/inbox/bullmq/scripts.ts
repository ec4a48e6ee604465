import type { IRedisClient, Queue, RedisQueueBackend, Worker } from 'bullmq'

/**
 * The keys of the inbox, beside BullMQ's. Like BullMQ's scripts, ours make up keys: in a cluster, the prefix
 * has a hash tag.
 */
const KEYS = `
local turns, prefix, call = KEYS[1], ARGV[1], redis.call
-- Sorted sets of the ids of jobs, oldest first: those that wait for the turn of a subject,
local function parkedOf(subject) return prefix .. 'payhook:parked:' .. subject end
-- all that are not completed,
local function openOf(subject) return prefix .. 'payhook:open:' .. subject end
-- and those that are. The last expires.
local function doneOf(subject) return prefix .. 'payhook:done:' .. subject end
`

/** `turns` is a hash: for each subject the token and id of its last job, after a '+' if others are parked. */
const TURNS = `${KEYS}
-- BullMQ's own lock: it ends with the attempt, and expires if the process dies.
local function isActive(id) return call('EXISTS', prefix .. id .. ':lock') == 1 end

local function holderOf(turn) return string.match(turn, ' (.*)') end

local function complete(subject, id)
  call('ZREM', openOf(subject), id)
  if ARGV[2] == '0' then return end
  call('ZADD', doneOf(subject), 0, id)
  call('PEXPIRE', doneOf(subject), ARGV[2])
end

-- What a process did not do if it was killed when it had completed the job.
local function completeLate(subject, id)
  if not call('ZSCORE', openOf(subject), id) then return end
  if call('EXISTS', prefix .. id) == 0 or call('ZSCORE', prefix .. 'completed', id) then complete(subject, id) end
end

-- Skips jobs that were removed, or finished by a process with oneAtATime: false.
local function oldestParked(subject)
  while true do
    local id = call('ZRANGE', parkedOf(subject), 0, 0)[1]
    if not id then return false end
    local job = call('HMGET', prefix .. id, 'timestamp', 'finishedOn')
    if job[1] and not job[2] then return id end
    call('ZREM', parkedOf(subject), id)
  end
end

-- Returns the job to wake. A subject with parked jobs stays in the hash, where a sweep finds it.
local function passOn(subject, turn)
  local holder = holderOf(turn)
  if holder then
    if isActive(holder) then return false end
    completeLate(subject, holder)
  end
  local oldest = oldestParked(subject)
  if oldest then call('HSET', turns, subject, '+') else call('HDEL', turns, subject) end
  return oldest
end
`

const SCRIPTS = {
  /**
   * Arguments: for how long completed jobs are found, in milliseconds; then actions, each with a subject, and
   * the id, token and number of attempts begun of a job. Returns 1 for a turn taken and 0 if it was not; for
   * the others a job to wake, if any.
   */
  payhookTurns: `${TURNS}
local function take(subject, id, token)
  local turn = token .. ' ' .. id
  if call('HSETNX', turns, subject, turn) == 1 then return 1 end
  local last = call('HGET', turns, subject)
  local holder, oldest = holderOf(last), oldestParked(subject)
  if holder and holder ~= id and isActive(holder) or oldest and oldest < id then
    call('ZADD', parkedOf(subject), 0, id)
    if string.sub(last, 1, 1) ~= '+' then call('HSET', turns, subject, '+' .. last) end
    return 0
  end
  if holder and holder ~= id then completeLate(subject, holder) end
  call('ZREM', parkedOf(subject), id)
  call('HSET', turns, subject, oldest and '+' .. turn or turn)
  return 1
end

local function wakeNext(subject, id, token)
  local turn = call('HGET', turns, subject)
  if not turn then return false end
  if turn ~= token .. ' ' .. id then return passOn(subject, turn) end
  call('HDEL', turns, subject)
  return false
end

-- Unless another process has already begun the next attempt, and may have parked it.
local function leave(subject, id, begun)
  if call('HGET', prefix .. id, 'ats') == begun then call('ZREM', parkedOf(subject), id) end
end

local results = {}
for i = 3, #ARGV, 5 do
  local action, subject, id, token, begun = unpack(ARGV, i, i + 4)
  if action == 'complete' then complete(subject, id) end
  if action == 'leave' then leave(subject, id, begun) end
  results[#results + 1] = (action == 'take' and take or wakeNext)(subject, id, token)
end
return results
`,
  /**
   * Arguments: for how long completed jobs are found, and a cursor. Returns the next cursor, and jobs to wake.
   */
  payhookSweep: `${TURNS}
local page = call('HSCAN', turns, ARGV[3], 'COUNT', 100)
local results = { page[1] }
for i = 1, #page[2], 2 do
  local id = passOn(page[2][i], page[2][i + 1])
  if id then results[#results + 1] = id end
end
return results
`,
  /**
   * Arguments: the time; then actions, each with an id, and a subject or, of a job that was put, its signature.
   */
  payhookIndex: `${KEYS}
local stored = false
for i = 3, #ARGV, 3 do
  local action, id, about = unpack(ARGV, i, i + 2)
  if action == 'put' then
    -- BullMQ's own record of the job that a duplicate is one of.
    local original = call('GET', prefix .. 'de:' .. about)
    stored = stored or not original or original == id
  elseif action == 'add' then
    call('ZADD', openOf(about), 0, id)
  else
    call('ZREM', openOf(about), id)
    call('ZREM', doneOf(about), id)
    call('ZREM', parkedOf(about), id)
  end
end
if stored then call('SET', prefix .. 'payhook-stored', ARGV[2]) end
return {}
`,
  /**
   * Arguments: the lowest score of a parked job. Returns the number of waiting, active and dead jobs, and when
   * one was last stored; the id, start and data of the oldest active job; the lowest score of a delayed job;
   * then the time of arrival and the progress of those that may have been due for the longest time.
   */
  payhookHealth: `${KEYS}
local NEXT = 50

local waiting, oldest = 0, call('LINDEX', prefix .. 'active', -1)
for _, name in ipairs({ 'prioritized', 'delayed' }) do waiting = waiting + call('ZCARD', prefix .. name) end
local results = {
  call('LLEN', prefix .. 'wait') + waiting,
  call('LLEN', prefix .. 'active'),
  call('ZCARD', prefix .. 'failed'),
  call('GET', prefix .. 'payhook-stored'),
  oldest,
}
local function add(values) for i = 1, 2 do results[#results + 1] = values[i] or false end end
add(oldest and call('HMGET', prefix .. oldest, 'processedOn', 'data') or {})
results[#results + 1] = call('ZRANGE', prefix .. 'delayed', 0, 0, 'WITHSCORES')[2] or false
for _, ids in ipairs({
  -- The next ones are not in order: what was active before, and what is woken, goes to the front.
  call('LRANGE', prefix .. 'wait', -NEXT, -1),
  call('ZRANGE', prefix .. 'prioritized', 0, NEXT - 1),
  call('ZRANGEBYSCORE', prefix .. 'delayed', ARGV[2], '+inf', 'LIMIT', 0, NEXT),
}) do
  for _, id in ipairs(ids) do add(call('HMGET', prefix .. id, 'timestamp', 'progress')) end
end
return results
`,
  /**
   * Arguments: a subject, a state or '', a limit, and the id to continue after or ''. Returns the id to
   * continue after or '' at the end, then ids with their states and, if they are delayed, scores.
   */
  payhookFind: `${KEYS}
local subject, wanted, limit, after = ARGV[2], ARGV[3], tonumber(ARGV[4]), ARGV[5]
local PAGE = 200

local function stateOf(id)
  if call('ZSCORE', prefix .. 'completed', id) then return 'completed', '' end
  if call('ZSCORE', prefix .. 'failed', id) then return 'dead', '' end
  local score = call('ZSCORE', prefix .. 'delayed', id)
  if score then return 'waiting', call('ZSCORE', parkedOf(subject), id) and '' or score end
  -- The job of a process that died waits, also before BullMQ has noticed that.
  return call('EXISTS', prefix .. id .. ':lock') == 1 and 'active' or 'waiting', ''
end

local ids, known, last = {}, {}, ''
for _, key in ipairs({ openOf(subject), doneOf(subject) }) do
  local page = call('ZRANGEBYLEX', key, after == '' and '-' or '(' .. after, '+', 'LIMIT', 0, PAGE)
  if #page == PAGE and (last == '' or page[PAGE] < last) then last = page[PAGE] end
  for _, id in ipairs(page) do
    if call('EXISTS', prefix .. id) == 0 then call('ZREM', key, id)
    elseif not known[id] then
      known[id] = true
      ids[#ids + 1] = id
    end
  end
end
table.sort(ids)
local results = { last }
for _, id in ipairs(ids) do
  if last ~= '' and id > last then break end
  local state, score = stateOf(id)
  if wanted == '' or wanted == state then
    for _, value in ipairs({ id, state, score }) do results[#results + 1] = value end
  end
  if #results > limit * 3 then break end
end
return results
`,
}

/** Runs a script on the connection of a queue or worker. */
export async function runScript<Reply extends string | number | null = string>(
  owner: Queue | Worker,
  name: keyof typeof SCRIPTS,
  args: readonly (string | number)[],
): Promise<Reply[]> {
  const client = await (owner.getBackend() as RedisQueueBackend).client
  prepareScripts(client)
  // There is no second key. With it, Redis rejects a script while a cluster moves the keys to another node. With
  // one key, it would run where the others are not, and create them twice.
  const keys = ['payhook:turns', 'payhook:none'].map((key) => owner.toKey(key))
  return await client.runCommand(name, [...keys, owner.toKey(''), ...args])
}

const prepared = new WeakSet<object>()

/** Call it before the first command: ioredis' automatic pipelines only know what was defined before them. */
export function prepareScripts(client: Pick<IRedisClient, 'defineCommand'>): void {
  if (prepared.has(client)) return
  for (const [name, lua] of Object.entries(SCRIPTS)) client.defineCommand(name, { numberOfKeys: 2, lua })
  prepared.add(client)
}
