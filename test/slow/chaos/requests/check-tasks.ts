import { access } from 'node:fs/promises'
import { join } from 'node:path'
import type pg from 'pg'
import { expect } from 'vitest'
import { endOf } from '../upstream-works.ts'
import type { Report } from './client.ts'
import type { TwoServices } from './services.ts'

/** Visits that one process makes at once: so many orders may a kill cut off. */
const VISITS_AT_ONCE = 8

interface TaskRow {
  id: number
  prompt: string
  endpoint: string
  status: string
  files: string[]
}

/** Every task is of one request, was charged once, and refunded once if it failed. */
export async function checkTasks(
  sql: pg.Pool,
  reports: readonly Report[],
  { kills, mediaDir }: Pick<TwoServices, 'kills' | 'mediaDir'>,
) {
  const { rows } = await sql.query<TaskRow>(`
    SELECT id, params->>'prompt' AS prompt, endpoint, status, files FROM service.task`)
  const tasks = new Map(rows.map((task) => [Number.parseInt(task.prompt, 10), task]))
  expect(tasks.size).toBe(rows.length)

  for (const { id, status, files } of rows) {
    expect(files.length, `files of task ${id}`).toBe(status === 'success' ? 1 : 0)
    for (const name of files) await access(join(mediaDir, name))
  }
  checkEnds(rows, kills.length)
  checkCreations(tasks, reports)
}

/** A task ends as its provider meant it to; an order that a kill cut off is given up. */
function checkEnds(rows: readonly TaskRow[], kills: number) {
  const other = rows.filter(({ status, prompt }) => status !== endOf(prompt))
  const cutOff = other.filter(
    ({ status, endpoint }) => status === 'fail' && endpoint === 'images/imagegen-generate',
  )
  expect(other.filter((task) => !cutOff.includes(task))).toEqual([])
  expect(cutOff.length).toBeLessThanOrEqual(kills * VISITS_AT_ONCE)
}

function checkCreations(tasks: ReadonlyMap<number, TaskRow>, reports: readonly Report[]) {
  const creations = reports.filter(({ planned }) => /^(video|image|sound)$/.test(planned.kind))
  const byIndex = Map.groupBy(creations, ({ planned }) => planned.index)
  expect([...tasks.keys()].filter((index) => !byIndex.has(index))).toEqual([])
  for (const [index, both] of byIndex) {
    const task = tasks.get(index)
    const answered = both.filter(({ outcome }) => outcome === '200')
    for (const { text } of answered) expect(JSON.parse(text)).toEqual({ task_id: task?.id })
    const isOpen = both.some(({ outcome }) => /^(200|left|cut)$/.test(outcome))
    if (!isOpen) expect(task, `task of the refused request ${index}`).toBeUndefined()
  }
}

/** An image is paid for when it is made, so none was made twice. */
export function checkImagesMade(imagesMade: ReadonlyMap<string, number>) {
  expect([...imagesMade].filter(([, count]) => count > 1)).toEqual([])
}
