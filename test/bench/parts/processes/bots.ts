import { THIS_CHECKOUT } from '../../checkout.ts'
import { type BotSurroundings, startKopeckBot } from '../../contenders/bots/start-bot.ts'
import { inTurn } from '../../in-turn.ts'
import { measureCpu } from '../../measuring/cpu.ts'
import { type ProgramGroup, startGroup } from '../../measuring/program-group.ts'
import type { BenchContext } from '../../part.ts'
import type { Table } from '../../report/table.ts'
import type { AnswerShape } from '../../surroundings/answer-shape.ts'
import { goOn } from '../../surroundings/load.ts'
import { openOneAddress } from '../../surroundings/one-address.ts'
import { openBotStage } from '../stages/bot-stage.ts'
import { COUNTS, PART, type Run, toTable } from './counts.ts'

const SHAPE: AnswerShape = { firstDeltaAfterMs: 100, deltas: 20, intervalMs: 50 }
const USERS_EACH = 24
const FIRST_USER_ID = 601
/** They share a core until they are held to a part of it. */
const WARM_UP_SECONDS_EACH = 5
const SECONDS = 10
/** A limit too high to matter: at Telegram’s own, processes would only wait for each other’s calls. */
const NO_OVERALL_LIMIT = '{"overall_per_second":100000}'

/** Answers of the bot behind one webhook address. */
export async function bots(context: BenchContext): Promise<Table> {
  const runs = await inTurn(COUNTS, context, (each) => measure(each, context))
  return toTable(runs, {
    of: 'answer',
    title: 'The bot: processes on one database',
    says: `${USERS_EACH} users for each process who ask again as soon as the answer stands whole, ${SHAPE.deltas} deltas in a second; each update to the next process. Telegram takes any number of calls a second, but of one chat one; PostgreSQL is on the core of Telegram and the model.`,
  })
}

async function measure(
  { name, count }: (typeof COUNTS)[number],
  context: BenchContext,
): Promise<Run> {
  const { database, cores } = context
  const address = await openOneAddress()
  try {
    const start = (surroundings: BotSurroundings) => startBots(count, surroundings)
    const stage = await openBotStage({ name, start }, context)
    try {
      await database.moveTo(cores.around)
      const group = stage.bot
      const users = Array.from({ length: USERS_EACH * count }, (_, user) => FIRST_USER_ID + user)
      const free = [...users]
      const ask = async () => {
        const user = free.shift() ?? FIRST_USER_ID
        await stage.untilWhole([stage.ask(user, SHAPE)])
        free.push(user)
      }
      const askOn = (seconds: number) => goOn(ask, { atOnce: users.length, seconds })
      await askOn(WARM_UP_SECONDS_EACH * count)
      const isHeld = await group.holdEachTo(PART)
      const { result, cpu } = await measureCpu({ pid: group.pids, database }, () => askOn(SECONDS))
      const { requests: answers, seconds } = result
      const { processMs, databaseMs = 0 } = cpu
      stage.checkAll()
      return {
        count,
        perSecond: isHeld ? answers / seconds : undefined,
        processesMs: processMs / answers,
        databaseMs: databaseMs / answers,
        databasePart: databaseMs / 1000 / seconds,
      }
    } finally {
      await stage.close()
    }
  } finally {
    await address.close()
    await database.moveTo(cores.measured)
  }

  async function startBots(size: number, surroundings: BotSurroundings): Promise<ProgramGroup> {
    const databaseUrl = await database.create(THIS_CHECKOUT)
    const env = {
      PUBLIC_URL: address.url,
      WEBHOOK_SECRET: 'bench_secret',
      SEND_LIMITS: NO_OVERALL_LIMIT,
    }
    const group = await startGroup(size, () =>
      startKopeckBot({ ...surroundings, checkout: THIS_CHECKOUT, databaseUrl, env }, context),
    )
    address.leadTo(group.members.map((member) => member.address))
    return group
  }
}
