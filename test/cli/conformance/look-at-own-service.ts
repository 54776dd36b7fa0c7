import { randomUUID } from 'node:crypto'
import { rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createConformance, type Report } from '../../../src/cli/conformance/conformance.ts'
import { DEMO_PROVOCATIONS } from '../../../src/cli/conformance/options.ts'
import { openReceiver } from '../../../src/cli/conformance/receiver.ts'
import { RULES } from '../../../src/cli/conformance/rules/rules.ts'
import { registerInstance } from '../../../src/platform/database/instance/instance.ts'
import { createLog } from '../../../src/platform/log.ts'
import { createHttpServer } from '../../../src/process/http-server.ts'
import { createEndings } from '../../../src/service/chat/endings.ts'
import { builtInServiceConfig } from '../../../src/service/config/service-config.ts'
import { createAccount } from '../../../src/service/ledger/accounts.ts'
import { createApiKey } from '../../../src/service/ledger/keys/api-keys.ts'
import { createService } from '../../../src/service/service.ts'
import { openTestDatabase } from '../../platform/database/open-test-database.ts'
import type { TestClock } from '../../platform/database/test-clock.ts'
import { createVisitsByHand } from '../../platform/jobs/visits-by-hand.ts'
import { createStepClock } from './step-clock.ts'

/** A clip, three pictures and some chats; less than a million tokens of any answer. */
const CREDIT_MICRO_RUB = 60_000_000n

/** Rules that depend on time that no test moves: test/service/callback/timeouts.test.ts shows it. */
const UNSEEN = ['callback-read-timeout', 'callback-any-2xx']

/**
 * Runs the suite against our service over HTTP, whose time is the suite's: each second that is waited for
 * passes in the database.
 *
 * @param url Leads to the database whose clock it is, which has been brought up to date.
 */
export async function lookAtOwnService(url: string, testClock: TestClock): Promise<Report> {
  const database = openTestDatabase({ url })
  const instance = await registerInstance({ url, onError: () => {} })
  const { pool } = database
  const { dueRows, visitAll } = createVisitsByHand({ pool, leaseOwner: instance.id })
  let isAsking = () => false
  const clock = createStepClock({
    async onStep(stepMs) {
      if (stepMs > 0) await testClock.advance(stepMs)
      await visitAll('service.task')
      await visitAll('service.callback')
    },
    isBusy: () => isAsking(),
    flows: true,
  })
  const receiver = await openReceiver({ host: '127.0.0.1', port: 0 }, clock)
  const mediaDir = join(tmpdir(), `kopeck-test-media-${randomUUID()}`)
  const log = createLog('silent')
  const app = createHttpServer({ log })
  let origin = ''
  const service = createService({
    database,
    instance,
    endings: createEndings(),
    dueRows,
    mediaDir,
    log,
    sweep: { add: (takeOver) => takeOver().then(() => {}) },
    config: builtInServiceConfig(),
    publicRoot: () => origin,
    callbackAllow: new Set([`127.0.0.1:${receiver.port}`]),
    resultAllow: new Set(),
  })
  await app.register(service.plugin)
  origin = await app.listen({ host: '127.0.0.1', port: 0 })
  await service.start()
  const addKey = async (name: string) => {
    const { id } = await createAccount(pool, { name, creditMicroRub: CREDIT_MICRO_RUB })
    return await createApiKey(pool, id)
  }
  const conformance = createConformance({
    baseUrl: `${origin}/api/v1`,
    apiKey: await addKey('customer'),
    options: {
      isFree: false,
      withVideo: true,
      withLimits: true,
      callbackUrl: `http://127.0.0.1:${receiver.port}/hook`,
      otherApiKey: await addKey('somebody else'),
      privateName: undefined,
      isThorough: false,
      provoke: DEMO_PROVOCATIONS,
      mostMicroRub: undefined,
      settleMs: 5_000,
      model: undefined,
      creation: { path: 'images/imagegen-generate', body: { prompt: 'A kopeck' } },
    },
    receiver,
    clock,
    rules: RULES.filter(({ id }) => !UNSEEN.includes(id)),
  })
  isAsking = conformance.isAsking
  try {
    return await conformance.run()
  } finally {
    await conformance.close()
    await receiver.close()
    await service.stop(0)
    await app.close()
    await instance.release()
    await database.close()
    await rm(mediaDir, { recursive: true, force: true })
  }
}
