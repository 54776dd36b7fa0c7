import { type Mutation, mutation } from './mutation.ts'

const TASK = 'src/service/http/routes/task.ts'
const FILES = 'src/service/http/routes/files.ts'
const CREATE = 'src/service/http/routes/create-task.ts'
const LINKS = `status === 'success' ? files.map((name) => toFileUrl(publicRoot(), name)) : null,`
const SEND = 'return reply.sendFile(name)'

/** Faults of tasks: their states, prices and results. */
export const TASK_MUTATIONS: readonly Mutation[] = [
  mutation(
    'result-a-page',
    'the result is a page',
    FILES,
    SEND,
    `return reply.type('text/html').send('<!doctype html><title>Your picture</title>')`,
  ),
  mutation(
    'result-empty',
    'the result has no bytes',
    FILES,
    SEND,
    'return reply.type(toContentType(name)).send(Buffer.alloc(0))',
  ),
  mutation(
    'link-dies',
    'a link is dead six seconds after the end',
    FILES,
    SEND,
    `const { mtimeMs } = await (await import('node:fs/promises')).stat(join(mediaDir, name)).catch(() => ({ mtimeMs: 0 }))
          if (Date.now() - mtimeMs > 6_000) return reply.callNotFound()
          ${SEND}`,
  ),
  {
    name: 'links-early',
    breaks: 'links are shown before success, of a task that takes three seconds',
    edits: [
      {
        file: TASK,
        find: LINKS,
        replace: `status === 'fail' ? null : [...files, \`\${'0'.repeat(40)}.png\`].slice(0, 1).map((name) => toFileUrl(publicRoot(), name)),`,
      },
      {
        file: 'src/service/providers/demo/demo-provider.ts',
        find: 'const made = await make(operation, signal)',
        replace: `await new Promise((done) => setTimeout(done, 2_500))
      const made = await make(operation, signal)`,
      },
    ],
  },
  mutation(
    'changes-after-end',
    'a task that has ended goes on at its third look',
    TASK,
    'const { status, files, errorCode, errorMessage } = task',
    `const { files, errorCode, errorMessage } = task
        const looks = ((globalThis as any).looks ??= {})
        const { task_id: looked } = request.params
        looks[looked] = (looks[looked] ?? 0) + (task.status === 'success' ? 1 : 0)
        const status = looks[looked] === 3 ? 'generating' : task.status`,
  ),
  mutation(
    'fail-unrefunded',
    'a task that failed keeps its price',
    'src/service/ledger/batch/run-batch.ts',
    'task.created_at AS began_at, -price_micro_rub AS amount',
    'task.created_at AS began_at, 0::bigint AS amount',
  ),
  mutation(
    'rejected-unrefunded',
    'a creation that is answered with 502 keeps its price',
    CREATE,
    'if (taskId === undefined) throw new Refusal(refusal.code, refusal.message, refusal)',
    `if (taskId === undefined) {
      await chargeTask(sql, charge)
      throw new Refusal(refusal.code, refusal.message, refusal)
    }`,
  ),
  mutation(
    'tasks-free',
    'tasks are never charged',
    CREATE,
    'amountMicroRub: priceMicroRub,',
    'amountMicroRub: 0n,',
  ),
  mutation(
    'price-differs',
    'a task costs a rouble more than the list says',
    CREATE,
    'amountMicroRub: priceMicroRub,',
    'amountMicroRub: priceMicroRub + 1_000_000n,',
  ),
  mutation(
    'foreign-visible',
    'a task is shown to another account',
    'src/service/generation/poll-task.ts',
    'WHERE id = $1 AND account_id = $2',
    'WHERE id = $1 AND $2::int > 0',
  ),
  mutation(
    'fail-without-error',
    'a task that failed has no error',
    TASK,
    `error: status === 'fail' ? {`,
    `error: status === ('never' as never) ? {`,
  ),
]
