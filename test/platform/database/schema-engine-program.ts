#!/usr/bin/env node
/**
 * Prisma's schema engine as the program that its command line runs: the same engine, in WebAssembly. The binary is
 * downloaded from Prisma, and tests need nothing but `npm ci`.
 */
import { createInterface } from 'node:readline'
import type { SchemaEngine } from '@prisma/schema-engine-wasm'
import { readSchema, withEngine } from './schema-engine.ts'

interface Call {
  id: number
  method: keyof SchemaEngine
  params: object
}

const { argv } = process
const { url } = JSON.parse(argv[argv.indexOf('--datasource') + 1] ?? '{}') as { url: string }
if (!argv.includes('cli')) {
  await withEngine(url, await readSchema(), async (engine) => {
    for await (const line of createInterface({ input: process.stdin })) {
      const { id, method, params } = JSON.parse(line) as Call
      const act = engine[method] as (params: object) => Promise<unknown>
      const result = await act.call(engine, params)
      process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', id, result })}\n`)
    }
  })
}
