import { parseArgs } from 'node:util'

const HELP = (kinds: readonly string[]) => `npm run failover -- [options]

Brings up PostgreSQL on three nodes with Patroni, etcd and HAProxy on this machine, two services and two bots on it, and
takes the primary away under load. Installs by apt-get what of that is missing, which asks for root.

  --rounds N        how many rounds (default 7)
  --kinds A,B       the kinds that take turns, of ${kinds.join(', ')} (default all)
  --asynchronous    without a synchronous standby: what the old primary alone had is lost
  --keep            keeps the folder with all logs
`

/** The rounds that are asked for. */
export interface FailoverArguments {
  rounds: number
  kinds: readonly string[]
  isSynchronous: boolean
  isKept: boolean
}

/** @returns What is asked for, or the text that says how to ask. */
export function readArguments(
  args: readonly string[],
  kinds: readonly string[],
): FailoverArguments | string {
  const { values } = parseArgs({
    args: [...args],
    options: {
      help: { type: 'boolean' },
      rounds: { type: 'string', default: '7' },
      kinds: { type: 'string', default: kinds.join(',') },
      asynchronous: { type: 'boolean', default: false },
      keep: { type: 'boolean', default: false },
    },
  })
  const rounds = Number(values.rounds)
  const asked = values.kinds.split(',')
  const isKnown = asked.every((kind) => kinds.includes(kind))
  if (values.help || !isKnown || !(Number.isInteger(rounds) && rounds > 0)) return HELP(kinds)
  return { rounds, kinds: asked, isSynchronous: !values.asynchronous, isKept: values.keep }
}
