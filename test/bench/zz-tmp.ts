import { readFile } from 'node:fs/promises'
import { startBenchDatabase } from './bench-database.ts'
import { readProcessFigures } from './process-figures.ts'
import { openServiceStage } from './service-stage.ts'
const STREAMS = 200
const SHORT = { firstDeltaAfterMs: 5, deltas: 3, intervalMs: 5 }
const LONG = { firstDeltaAfterMs: 200, deltas: 200, intervalMs: 20 }
const signal = new AbortController().signal
const names = (process.argv[2] ?? 'bare,kopeck').split(',')
const rounds = Number(process.argv[3] ?? 1)
const mode = process.argv[4] ?? 'stream'
const database = await startBenchDatabase()
const rss = async (pid: number) => {
  const s = await readFile(`/proc/${pid}/status`, 'utf8')
  const g = (k: string) => Math.round(Number(new RegExp(`^${k}:\\s+(\\d+)`, 'm').exec(s)?.[1]) / 1024)
  return `rss ${g('VmRSS')} anon ${g('RssAnon')} file ${g('RssFile')} peak ${g('VmHWM')}`
}
try {
  for (let r = 0; r < rounds; r++) for (const name of names) {
    const stage = await openServiceStage(name as never, { database, signal, progress: () => {} } as never, { requests: 20000 })
    const { pid } = stage.gateway
    console.log(name, 'ready', await rss(pid))
    const all = (shape: object) => Promise.all(Array.from({ length: STREAMS }, () => stage.ask(shape as never, { stream: true })))
    if (mode === 'stream') {
      await all(SHORT)
      await all(LONG)
      const before = await readProcessFigures(pid)
      await all(LONG)
      const after = await readProcessFigures(pid)
      console.log(name, 'us/delta', (((after.cpuMs - before.cpuMs) * 1000) / (STREAMS * 200)).toFixed(1), await rss(pid))
    } else {
      const many = async (n: number) => { let left = n; await Promise.all(Array.from({ length: 64 }, async () => { while (left-- > 0) await stage.ask({ firstDeltaAfterMs: 5, deltas: 20, intervalMs: 0 } as never, { stream: false }) })) }
      await many(4000)
      const before = await readProcessFigures(pid); const db = await database.readCpuMs(); const t = performance.now()
      await many(6000)
      const s = (performance.now() - t) / 1000
      const after = await readProcessFigures(pid)
      console.log(name, 'cpu s/1000', ((after.cpuMs - before.cpuMs) / 6000).toFixed(3), 'db', (((await database.readCpuMs()) - db) / 6000).toFixed(3), 'req/s', (6000 / s).toFixed(0), await rss(pid))
    }
    await stage.close()
  }
} finally { await database.stop() }
