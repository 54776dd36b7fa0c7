import { execFile } from 'node:child_process'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { beforeAll, expect, test } from 'vitest'
import { createLog } from '../../src/platform/log.ts'
import { createHttpServer } from '../../src/process/http-server.ts'
import { createProcessMetrics } from '../../src/process/process-metrics.ts'
import { startTestService } from '../service/service-fixture.ts'
import { makeFolder } from '../support/make-folder.ts'

const run = promisify(execFile)

/** Debian's prometheus has it. */
const PROMTOOL = process.env.PROMTOOL_PATH
const ROOT = join(import.meta.dirname, '../..')
const ALERTS = join(ROOT, 'deploy/alerts.yml')
const DASHBOARD = join(ROOT, 'deploy/dashboard.json')

const METRIC = /\b(?:kopeck|process|nodejs)_[a-z\d_]+/g
const HISTOGRAM_PART = /_(bucket|count|sum)$/

interface Panel {
  id: number
  title: string
  gridPos: { x: number; y: number; w: number; h: number }
  targets?: { expr: string }[]
}

let metrics = ''
let panels: Panel[] = []

beforeAll(async () => {
  await using kopeck = await startTestService()
  const http = createHttpServer({ log: createLog('silent') })
  const own = createProcessMetrics({ version: '1.2.3', commit: 'abc' })
  for (const name of ['kopeck_ready', 'kopeck_database_ready']) own.addState(name, '', () => true)
  own.serve(http, [kopeck.service.readMetrics])
  metrics = (await http.inject('/metrics')).body
  await http.close()
  panels = JSON.parse(await readFile(DASHBOARD, 'utf8')).panels
})

async function promtool(args: string[], text = ''): Promise<void> {
  const dir = await makeFolder()
  const file = join(dir, 'given.yml')
  await writeFile(file, text)
  await run(PROMTOOL ?? '', text === '' ? args : [...args, file])
}

test.skipIf(PROMTOOL === undefined)(
  'promtool has nothing against the names of the metrics',
  async () => {
    const running = run(PROMTOOL ?? '', ['check', 'metrics'])
    running.child.stdin?.end(metrics)

    await expect(running).resolves.toMatchObject({ stdout: '', stderr: '' })
  },
)

test.skipIf(PROMTOOL === undefined)('promtool has nothing against the alert rules', async () => {
  await expect(promtool(['check', 'rules', ALERTS])).resolves.toBeUndefined()
})

test.skipIf(PROMTOOL === undefined)(
  'each alert fires in its scene, and not in its control',
  async () => {
    const scenes = join(import.meta.dirname, 'alerts.test.yml')

    await expect(promtool(['test', 'rules', scenes])).resolves.toBeUndefined()
    const played = new Set((await readFile(scenes, 'utf8')).match(/(?<=alertname: ).*/g))
    const alerts = (await readFile(ALERTS, 'utf8')).match(/(?<=alert: ).*/g)
    expect([...played]).toEqual(alerts)
  },
)

test.skipIf(PROMTOOL === undefined)(
  'every question of the dashboard is one that Prometheus reads',
  async () => {
    const questions = panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr))
    const rules = questions.map((question, index) => ({
      record: `panel:${index}`,
      expr: question.replaceAll('$__rate_interval', '5m').replaceAll('$job', 'kopeck'),
    }))

    await expect(
      promtool(['check', 'rules'], JSON.stringify({ groups: [{ name: 'panels', rules }] })),
    ).resolves.toBeUndefined()
  },
)

test.each([ALERTS, DASHBOARD])('every metric that %s names is there', async (file) => {
  const named = new Set((await readFile(file, 'utf8')).match(METRIC))
  const types = new Map(
    [...metrics.matchAll(/^# TYPE (\S+) (\S+)$/gm)].map(([, ...pair]) => pair as never),
  )

  const missing = [...named].filter((name) => {
    const histogram = name.replace(HISTOGRAM_PART, '')
    return !types.has(name) && types.get(histogram) !== 'histogram'
  })
  expect(named.size).toBeGreaterThan(5)
  expect(missing).toEqual([])
})
