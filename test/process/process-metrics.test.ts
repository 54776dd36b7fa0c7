import { request } from 'node:http'
import { expect, onTestFinished, test } from 'vitest'
import { createLog } from '../../src/platform/log.ts'
import { createHttpServer } from '../../src/process/http-server.ts'
import { createProcessMetrics } from '../../src/process/process-metrics.ts'

const BUILD = { version: '1.2.3', commit: '0af7651916cd' }

test('GET /metrics says which Kopeck it is and counts the process, then its parts', async () => {
  const http = createHttpServer({ log: createLog('silent') })
  const metrics = createProcessMetrics(BUILD)
  metrics.serve(http, [async () => 'kopeck_first 1\n', async () => 'kopeck_second 2\n'])

  const answer = await http.inject('/metrics')

  await http.close()
  expect(answer.headers['content-type']).toMatch(/^text\/plain; version=0\.0\.4/)
  expect(answer.body).toMatch(
    /^kopeck_build_info\{version="1\.2\.3",commit="0af7651916cd"\} 1$.*^process_resident_memory_bytes \d+$.*^nodejs_eventloop_lag_p99_seconds .*^kopeck_first 1$.*^kopeck_second 2$/ms,
  )
})

test('a state is asked at each request', async () => {
  const metrics = createProcessMetrics(BUILD)
  let isReady = false
  metrics.addState('kopeck_ready', 'it can work', () => isReady)

  const before = await metrics.text()
  isReady = true

  expect(before).toContain('# HELP kopeck_ready 1 if it can work, otherwise 0')
  expect(before).toMatch(/^kopeck_ready 0$/m)
  expect(await metrics.text()).toMatch(/^kopeck_ready 1$/m)
})

test('requests that no route takes are counted by method, whatever their path', async () => {
  const metrics = createProcessMetrics(BUILD)
  const http = createHttpServer({
    log: createLog('silent'),
    onUnrouted: metrics.requestUnrouted,
  })
  onTestFinished(() => http.close())
  http.get('/known', async () => ({}))
  await http.register(
    (part, _options, done) => {
      part.get('/known', async () => ({}))
      part.setNotFoundHandler((_, reply) => reply.code(404).send({}))
      done()
    },
    { prefix: '/part' },
  )
  const origin = await http.listen({ host: '127.0.0.1', port: 0 })
  const ask = (method: string, path: string) =>
    new Promise((done, fail) => {
      const asked = request(`${origin}${path}`, { method }, (answer) => {
        answer.resume().on('end', () => done(answer.statusCode))
      })
      asked.on('error', fail).end()
    })

  const statuses = [
    await ask('GET', '/known'),
    await ask('GET', '/unknown/a?b=c'),
    await ask('PUT', '/known'),
    await ask('PUT', '/part/known'),
    await ask('GET', '/part/unknown'),
    await ask('PROPFIND', '/part/known'),
    await ask('GET', '/%zz'),
  ]

  expect(statuses).toEqual([200, 404, 404, 404, 404, 404, 400])
  const counted = async () => (await metrics.text()).match(/^kopeck_http_unrouted_total.*/gm)
  await expect
    .poll(counted)
    .toEqual([
      'kopeck_http_unrouted_total{method="GET",status="404"} 2',
      'kopeck_http_unrouted_total{method="PUT",status="404"} 2',
      'kopeck_http_unrouted_total{method="PROPFIND",status="404"} 1',
      'kopeck_http_unrouted_total{method="GET",status="400"} 1',
    ])
})
