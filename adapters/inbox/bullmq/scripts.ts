import type { Queue, RedisQueueBackend, Worker } from 'bullmq'

/** Keys beside BullMQ's. The scripts make them up, as its own do: in a cluster, the prefix has a hash tag. */
const KEYS = `
local busy, prefix, call = KEYS[1], ARGV[1], redis.call
-- Sorted sets of the ids of jobs, oldest first: those that are parked, for each concurrency key,
local function parkedOf(key) return prefix .. 'payhook:parked:' .. key end
-- and those about a subject, as far as they are indexed. It may have more: a job that is gone.
local function aboutOf(subject) return prefix .. 'payhook:about:' .. subject end
`

/** A hash: since when BullMQ's queue is paused, and why. */
export const PAUSED = 'payhook-paused'

/** `busy` is a hash: for each key the token and id of its last job, after a '+' if others are parked. */
const BUSY_KEYS = `${KEYS}
-- BullMQ's own lock: it ends with the attempt, and expires if the process dies.
local function isActive(id) return call('EXISTS', prefix .. id .. ':lock') == 1 end

local function holderOf(mark) return string.match(mark, ' (.*)') end

-- Skips jobs that were removed, or finished by a process with oneAtATime: false.
local function oldestParked(key)
  while true do
    local id = call('ZRANGE', parkedOf(key), 0, 0)[1]
    if not id then return false end
    local job = call('HMGET', prefix .. id, 'timestamp', 'finishedOn')
    if job[1] and not job[2] then return id end
    call('ZREM', parkedOf(key), id)
  end
end

-- Returns the job to wake. A key with parked jobs stays in the hash, where a sweep finds it.
local function passOn(key, mark)
  local holder = holderOf(mark)
  if holder and isActive(holder) then return false end
  local oldest = oldestParked(key)
  if oldest then call('HSET', busy, key, '+') else call('HDEL', busy, key) end
  return oldest
end
`

/** A list of the jobs that puts have stored and that are not indexed yet, newest first. */
export const NEW = 'payhook:new'

/** The index of subjects. An item is the time when a job was stored, its id, and its subject or nothing. */
const INDEX = `${KEYS}
local new, stored = prefix .. '${NEW}', prefix .. 'payhook-stored'
-- A list of what is indexed, newest first. The time is that of the last look whether the job exists.
local indexed = prefix .. 'payhook:indexed'

local function read(item) return string.match(item or '', '(%d+) (%S+) (.*)') end

local function index(time, id, subject)
  if subject == '' then return end
  call('ZADD', aboutOf(subject), 0, id)
  call('LPUSH', indexed, time .. ' ' .. id .. ' ' .. subject)
end
`

const SCRIPTS = {
  /**
   * Arguments: actions, each with a key, and the id, token and number of attempts begun of a job. `take`
   * returns 1 if the key is now busy because of this job, 0 if it was busy before, or if another process has
   * taken over the job; the others a job to wake, if any.
   */
  payhookBusy: `${BUSY_KEYS}
local function take(key, id, token)
  if call('GET', prefix .. id .. ':lock') ~= token then return 0 end
  local mark = token .. ' ' .. id
  if call('HSETNX', busy, key, mark) == 1 then return 1 end
  local last = call('HGET', busy, key)
  local holder, oldest = holderOf(last), oldestParked(key)
  if holder and holder ~= id and isActive(holder) or oldest and oldest < id then
    call('ZADD', parkedOf(key), 0, id)
    if string.sub(last, 1, 1) ~= '+' then call('HSET', busy, key, '+' .. last) end
    return 0
  end
  call('ZREM', parkedOf(key), id)
  call('HSET', busy, key, oldest and '+' .. mark or mark)
  return 1
end

local function wakeNext(key, id, token)
  local mark = call('HGET', busy, key)
  if not mark then return false end
  if mark ~= token .. ' ' .. id then return passOn(key, mark) end
  call('HDEL', busy, key)
  return false
end

-- Unless another process has already begun the next attempt, and may have parked it.
local function leave(key, id, begun)
  if call('HGET', prefix .. id, 'ats') == begun then call('ZREM', parkedOf(key), id) end
end

local results = {}
for i = 2, #ARGV, 5 do
  local action, key, id, token, begun = unpack(ARGV, i, i + 4)
  if action == 'leave' then leave(key, id, begun) end
  -- Whoever set the '+' woke the oldest, which failed if that is the job that is parked only now.
  local isWoken = action == 'park' and call('HGET', busy, key) == '+' and oldestParked(key) ~= id
  results[#results + 1] = not isWoken and (action == 'take' and take or wakeNext)(key, id, token)
end
return results
`,
  /** Arguments: a cursor, and how many jobs of a key may run. Returns the next one, and jobs to wake. */
  payhookSweep: `${BUSY_KEYS}
local page = call('HSCAN', busy, ARGV[2], 'COUNT', 100)
local results = { page[1] }
for i = 1, #page[2], 2 do
  local key = page[2][i]
  if passOn(key, page[2][i + 1]) then
    for _, id in ipairs(call('ZRANGE', parkedOf(key), 0, ARGV[3] - 1)) do results[#results + 1] = id end
  end
end
return results
`,
  /** Arguments: items of jobs that no put has stored. */
  payhookIndex: `${INDEX}
for i = 2, #ARGV do index(read(ARGV[i])) end
return {}
`,
  /**
   * Arguments: the item of a duplicate, and that of the job it is a duplicate of, whose own item is missing if
   * Redis rejected it, and not the job.
   */
  payhookReplace: `${INDEX}
call('LREM', new, 1, ARGV[2])
local time, id, subject = read(ARGV[3])
if call('EXISTS', prefix .. id) == 1 and not call('ZSCORE', aboutOf(subject), id) then index(time, id, subject) end
return {}
`,
  /**
   * Arguments: the time, and a reason. Notes them for as long as the queue is paused, which BullMQ does
   * afterwards. The time of a pause that lasts stays.
   */
  payhookPause: `
local paused = ARGV[1] .. '${PAUSED}'
if redis.call('HEXISTS', ARGV[1] .. 'meta', 'paused') == 0 then redis.call('DEL', paused) end
redis.call('HSETNX', paused, 'since', ARGV[2])
redis.call('HSET', paused, 'reason', ARGV[3])
return {}
`,
  /** Argument: the id of a job. Returns 1 to the first call for it, or if it is gone already. */
  payhookClaim: `
local job = ARGV[1] .. ARGV[2]
return { redis.call('EXISTS', job) == 0 and 1 or redis.call('HSETNX', job, 'payhook', '1') }
`,
  /**
   * Arguments: the time, and the time before which the last look must have been. Forgets jobs that are gone.
   * Returns 1 if there may be more.
   */
  payhookTidy: `${INDEX}
local function tidy(list)
  for _ = 1, 500 do
    local time, id, subject = read(call('LINDEX', list, -1))
    if not time or tonumber(time) >= tonumber(ARGV[3]) then return nil end
    call('RPOP', list)
    if list == new then call('SET', stored, time) end
    if call('EXISTS', prefix .. id) == 1 then index(ARGV[2], id, subject)
    else call('ZREM', aboutOf(subject), id) end
  end
  return 1
end
return { tidy(new) or tidy(indexed) }
`,
  /**
   * Argument: the lowest score of a parked job. Returns the number of waiting, active and dead jobs, and when
   * one was last stored; the id, start and data of the oldest active job; the lowest score of a delayed job;
   * when and why the queue was paused by `payhookPause`; then the time of arrival and the progress of those
   * that may have been due for the longest time.
   */
  payhookHealth: `${INDEX}
local NEXT = 50

-- Fails where a put would: Redis is full, a replica, or cannot reach its replicas.
call('SET', prefix .. 'payhook-probe', '', 'PX', 1000)

local waiting, oldest = 0, call('LINDEX', prefix .. 'active', -1)
for _, name in ipairs({ 'prioritized', 'delayed' }) do waiting = waiting + call('ZCARD', prefix .. name) end
local results = {
  call('LLEN', prefix .. 'wait') + waiting,
  call('LLEN', prefix .. 'active'),
  call('ZCARD', prefix .. 'failed'),
  read(call('LINDEX', new, 0)) or call('GET', stored),
  oldest,
}
local function add(values) for i = 1, 2 do results[#results + 1] = values[i] or false end end
add(oldest and call('HMGET', prefix .. oldest, 'processedOn', 'data') or {})
results[#results + 1] = call('ZRANGE', prefix .. 'delayed', 0, 0, 'WITHSCORES')[2] or false
local isPaused = call('HEXISTS', prefix .. 'meta', 'paused') == 1
add(isPaused and call('HMGET', prefix .. '${PAUSED}', 'since', 'reason') or {})
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
   * Arguments: a limit, the id to continue after or '', and collections. Returns jobs with their collection
   * and, if they are delayed, scores; nothing if the id is not in the first collection.
   */
  payhookList: `
local prefix, limit, after, call, jobs = ARGV[1], tonumber(ARGV[2]), ARGV[3], redis.call, {}
for i = 4, #ARGV do
  local key, isList = prefix .. ARGV[i], ARGV[i] == 'wait' or ARGV[i] == 'active'
  local at = after ~= '' and call(isList and 'LPOS' or 'ZRANK', key, after)
  if after ~= '' and not at then return {} end
  local left = limit - #jobs
  if left == 0 then break end
  if isList then
    -- New jobs go to the head of a list.
    local last = (at or call('LLEN', key)) - 1
    local ids = last < 0 and {} or call('LRANGE', key, math.max(0, last - left + 1), last)
    for n = #ids, 1, -1 do jobs[#jobs + 1] = { ids[n], ARGV[i], '' } end
  else
    local first = at and at + 1 or 0
    local ids = call('ZRANGE', key, first, first + left - 1, 'WITHSCORES')
    for n = 1, #ids, 2 do jobs[#jobs + 1] = { ids[n], ARGV[i], ARGV[i] == 'delayed' and ids[n + 1] or '' } end
  end
  after = ''
end
return { jobs }
`,
  /**
   * Arguments: a subject, a state or '', a limit, and where to start. Returns where to continue, or '' at the
   * end, then jobs with their state and, if they are delayed, score. Indexes some of what is new first, and
   * finds nothing while there is more of it.
   */
  payhookFind: `${INDEX}
local subject, wanted, limit, start = ARGV[2], ARGV[3], tonumber(ARGV[4]), ARGV[5]
local PAGE = 200

local items = call('RPOP', new, 500) or {}
for _, item in ipairs(items) do index(read(item)) end
if #items > 0 then call('SET', stored, (read(items[#items]))) end
if call('EXISTS', new) == 1 then return { start } end

local function stateOf(id)
  if call('ZSCORE', prefix .. 'completed', id) then return 'completed', '' end
  if call('ZSCORE', prefix .. 'failed', id) then return 'dead', '' end
  local score = call('ZSCORE', prefix .. 'delayed', id)
  if score then return 'waiting', score end
  -- The job of a process that died waits, also before BullMQ has noticed that.
  return call('EXISTS', prefix .. id .. ':lock') == 1 and 'active' or 'waiting', ''
end

local page = call('ZRANGEBYLEX', aboutOf(subject), start, '+', 'LIMIT', 0, PAGE)
local results = { page[PAGE] and '(' .. page[PAGE] or '' }
for _, id in ipairs(page) do
  if call('EXISTS', prefix .. id) == 1 then
    local state, score = stateOf(id)
    if wanted == '' or wanted == state then results[#results + 1] = { id, state, score } end
  end
  if #results > limit then
    results[1] = '(' .. id
    break
  end
end
return results
`,
}

const prepared = new WeakSet<object>()

export async function runScript<Reply = string>(
  owner: Queue | Worker,
  name: keyof typeof SCRIPTS,
  args: readonly (string | number)[],
): Promise<Reply[]> {
  const client = await (owner.getBackend() as RedisQueueBackend).client
  if (!prepared.has(client)) {
    for (const [name, lua] of Object.entries(SCRIPTS)) client.defineCommand(name, { numberOfKeys: 2, lua })
    prepared.add(client)
  }
  // There is no second key. With it, Redis rejects a script while a cluster moves the keys to another node.
  // With one key, it would run where the others are not, and create them twice.
  const keys = ['payhook:busy', 'payhook:none'].map((key) => owner.toKey(key))
  return await client.runCommand(name, [...keys, owner.toKey(''), ...args])
}
