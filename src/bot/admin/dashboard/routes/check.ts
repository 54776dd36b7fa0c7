import type { FastifyPluginAsync } from 'fastify'
import { writeCommand } from '../../../../platform/installation.ts'
import type { BalanceCheck } from '../../../spend/balance.ts'
import type { BalanceAnswer, CheckAnswer } from '../api.ts'
import type { Dashboard } from '../dashboard.ts'
import { toLeftOf, toWireMoney } from '../to-wire.ts'

/** More would be no page to read; `npm run spend -- check` prints them. */
const DIFFERENCES_MAX = 100

/** `GET /balance`: what is left, and for how long. `GET /check`: whether our charges account for it. */
export function checkRoute(dashboard: () => Dashboard): FastifyPluginAsync {
  /** It reads every charge: requests during a check get the same answer. */
  let underWay: Promise<CheckAnswer> | undefined
  return async (app) => {
    app.get('/balance', readBalance)
    app.get('/check', () => {
      underWay ??= readCheck().finally(() => {
        underWay = undefined
      })
      return underWay
    })
  }

  async function readBalance(): Promise<BalanceAnswer> {
    const outlook = await dashboard().balance.outlook()
    const leftOf = toLeftOf(outlook)
    if (outlook === undefined) {
      return { leftOf, balanceMicroRub: null, dayPaceMicroRub: null, daysLeft: null }
    }
    const { balanceMicroRub, dayPaceMicroRub, daysLeft = null } = outlook
    return {
      leftOf,
      balanceMicroRub: balanceMicroRub === undefined ? null : toWireMoney(balanceMicroRub),
      dayPaceMicroRub: toWireMoney(dayPaceMicroRub),
      daysLeft,
    }
  }

  async function readCheck(): Promise<CheckAnswer> {
    const { balance, checkSums } = dashboard()
    const [ofBalance, ofSums] = await Promise.all([balance.check(), checkSums()])
    return {
      balance: ofBalance === undefined ? null : toWireCheck(ofBalance),
      sums: {
        isRight: ofSums.differenceCount === 0,
        differences: ofSums.differences
          .slice(0, DIFFERENCES_MAX)
          .map(({ userId, key, column, wanted, kept }) => ({
            what: [userId, key, column].join(' '),
            ofSums: toWireMoney(kept),
            ofRows: toWireMoney(wanted),
          })),
        rebuildCommand: writeCommand('spend', 'rebuild'),
      },
    }
  }
}

function toWireCheck({ from, to, mayEvenOut, ...sums }: BalanceCheck): CheckAnswer['balance'] {
  return {
    from: from.toISOString(),
    to: to.toISOString(),
    movedMicroRub: toWireMoney(sums.movedMicroRub),
    chargedMicroRub: toWireMoney(sums.chargedMicroRub),
    differenceMicroRub: toWireMoney(sums.differenceMicroRub),
    mayEvenOut,
  }
}
