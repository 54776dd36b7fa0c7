import { expect, test } from 'vitest'
import { createLog } from '../../src/platform/log.ts'
import { createHttpServer } from '../../src/process/http-server.ts'
import { serveMetrics } from '../../src/process/process-metrics.ts'

test('GET /metrics says which Kopeck it is and counts the process, then its parts', async () => {
  const http = createHttpServer({ log: createLog('silent') })
  const build = { version: '1.2.3', commit: '0af7651916cd' }
  serveMetrics(http, build, [async () => 'kopeck_first 1\n', async () => 'kopeck_second 2\n'])

  const answer = await http.inject('/metrics')

  await http.close()
  expect(answer.headers['content-type']).toMatch(/^text\/plain; version=0\.0\.4/)
  expect(answer.body).toMatch(
    /^kopeck_build_info\{version="1\.2\.3",commit="0af7651916cd"\} 1$.*^process_resident_memory_bytes \d+$.*^nodejs_eventloop_lag_p99_seconds .*^kopeck_first 1$.*^kopeck_second 2$/ms,
  )
})
