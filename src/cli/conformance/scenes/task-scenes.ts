import { readTaskId } from '../../../contract/client/read-answers.ts'
import { isJsonObject } from '../../../platform/http/json.ts'
import type { Clock } from '../../../platform/time/clock.ts'
import type { WireAnswer } from '../answer.ts'
import type { Budget } from '../budget.ts'
import type { Customer, Settled } from '../customer.ts'
import { once } from '../evidence.ts'
import type { LinkedFile, Wire } from '../wire.ts'

/** A clip takes up to a quarter of an hour. */
const LATER_POLL_MS = 10_000
const EAGER_MS = 60_000
const WAIT_MS_MAX = 25 * 60_000

/** Looks at a task that has ended. */
const LOOKS = 3
/** How old a link is when it is fetched once more. */
const LINK_MS = 10_000

/** A creation that may be paid for, with the balance around it. */
export interface CreationScene {
  path: string
  answer: WireAnswer
  before: bigint | undefined
  after: bigint | undefined
  taskId: number | undefined
  /** A poll at once after the creation: some states pass soon. */
  firstPoll: WireAnswer | undefined
  /** The refusal of the same creation with an address for its callback; then it has none. */
  callbackRefusal: WireAnswer | undefined
}

/** A task up to its end. */
export interface EndedTask extends CreationScene {
  /** The polls in order; none if no task was created. */
  polls: WireAnswer[]
  /** The status of the last poll, if that is an end. */
  end: 'success' | 'fail' | undefined
}

/** A task from its creation to some time after its end. */
export interface TaskScene extends EndedTask {
  /** Polls after the end. */
  looks: WireAnswer[]
  /** Each link of the result, with what came from it at each time. */
  links: { url: string; files: LinkedFile[] }[]
}

/** A task that goes on while other things are looked at. */
export interface Task {
  creation: CreationScene
  ended: () => Promise<EndedTask>
  /** Ends some time after the task. */
  whole: () => Promise<TaskScene>
}

/** A task that is to fail, alone with its balance. */
export interface FailingTask extends EndedTask {
  /** The balance when it was that of before the creation again, or has had its time. */
  refunded: Settled
}

export interface Creation {
  path: string
  body: Record<string, unknown>
  callbackUrl?: string | undefined
  /** The most that it costs; undefined if the service tells no price. */
  mostMicroRub: bigint | undefined
}

/** Reads the status of a task from an answer. */
export function readStatus({ json }: WireAnswer): unknown {
  return isJsonObject(json) ? json.status : undefined
}

/** Creates tasks and follows them to their ends. */
export function createTaskScenes({
  wire,
  account,
  budget,
  clock,
}: {
  wire: Pick<Wire, 'ask' | 'fetchLink'>
  account: Customer
  budget: Budget
  clock: Clock
}) {
  return { begin, playFailing }

  /** Creates a task. Nobody waits for its end who does not ask for it. */
  async function begin(creation: Creation): Promise<Task> {
    const created = await account.alone(() => createAnyhow(creation))
    const ended = once(() => pollToEnd(created))
    return { creation: created, ended, whole: once(async () => lookAfter(await ended())) }
  }

  /** Creates a task that is to fail, or that is to be refused, and waits for its price to come back. */
  async function playFailing(creation: Creation): Promise<FailingTask> {
    return await account.alone(async () => {
      const ended = await pollToEnd(await createAnyhow(creation))
      const { before } = ended
      const isToBeBack = ended.taskId === undefined || ended.end === 'fail'
      const refunded = await account.awaitBalance(
        (balance) => before === undefined || balance === before || !isToBeBack,
      )
      return { ...ended, refunded }
    })
  }

  /** Creates a task without a callback where its address is refused: a service may not send to private ones. */
  async function createAnyhow(creation: Creation): Promise<CreationScene> {
    const created = await create(creation)
    const isRefused = created.answer.status === 422 && creation.callbackUrl !== undefined
    if (!isRefused) return created
    const callbackRefusal = created.answer
    return { ...(await create({ ...creation, callbackUrl: undefined })), callbackRefusal }
  }

  async function create({
    path,
    body,
    callbackUrl,
    mostMicroRub,
  }: Creation): Promise<CreationScene> {
    const headers = callbackUrl === undefined ? {} : { 'x-callback-url': callbackUrl }
    budget.take(`a task of /${path}`, mostMicroRub)
    const before = await account.readBalance()
    const answer = await wire.ask({ method: 'POST', path: `/${path}`, body, headers })
    const taskId = answer.status === 200 ? readTaskId(answer.json) : undefined
    const firstPoll = taskId === undefined ? undefined : await poll(taskId)
    const { balance: after } = await account.awaitBalance(
      (balance) => before === undefined || (taskId === undefined) === (balance === before),
    )
    if (taskId === undefined) budget.giveBack(mostMicroRub ?? 0n)
    return { path, answer, before, after, taskId, firstPoll, callbackRefusal: undefined }
  }

  async function pollToEnd(creation: CreationScene): Promise<EndedTask> {
    const { taskId, firstPoll } = creation
    if (taskId === undefined || firstPoll === undefined) {
      return { ...creation, polls: [], end: undefined }
    }
    const begunAt = clock.now()
    const polls = [firstPoll]
    let end = toEnd(firstPoll)
    while (end === undefined && clock.now() - begunAt < WAIT_MS_MAX) {
      // The wire keeps to the pace of polls.
      if (clock.now() - begunAt > EAGER_MS) await clock.sleep(LATER_POLL_MS)
      const answer = await poll(taskId)
      polls.push(answer)
      end = toEnd(answer)
    }
    return { ...creation, polls, end }
  }

  async function lookAfter(ended: EndedTask): Promise<TaskScene> {
    const { taskId, end, polls } = ended
    if (taskId === undefined || end === undefined) return { ...ended, looks: [], links: [] }
    const urls = end === 'success' ? readLinks(polls.at(-1)) : []
    const fetchAll = () => Promise.all(urls.map((url) => wire.fetchLink(url)))
    const begunAt = clock.now()
    const first = await fetchAll()
    const looks: WireAnswer[] = []
    for (let look = 0; look < LOOKS; look += 1) looks.push(await poll(taskId))
    await clock.sleep(Math.max(0, begunAt + LINK_MS - clock.now()))
    const second = await fetchAll()
    const links = urls.map((url, index) => ({
      url,
      files: [first[index], second[index]].filter((file) => file !== undefined),
    }))
    return { ...ended, looks, links }
  }

  async function poll(taskId: number): Promise<WireAnswer> {
    return await wire.ask({ method: 'GET', path: `/task/${taskId}` })
  }
}

function toEnd(poll: WireAnswer): EndedTask['end'] {
  const status = readStatus(poll)
  return status === 'success' || status === 'fail' ? status : undefined
}

/** The links of a success that can be fetched. */
function readLinks(poll: WireAnswer | undefined): string[] {
  const urls = isJsonObject(poll?.json) ? poll.json.result_urls : undefined
  return Array.isArray(urls) ? urls.filter((url) => URL.canParse(String(url))).map(String) : []
}
