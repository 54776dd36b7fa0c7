import type { Command } from 'commander'
import { readConfig } from '../../process/config/config.ts'
import { openProxies } from '../../process/process-proxies.ts'
import { readOffer } from '../../service/config/openai/read-offer.ts'
import { checkServiceFile } from '../../service/config/read-service-file.ts'
import { createProgram } from '../command-line/create-program.ts'
import type { CommandDeps } from '../command-line/run-program.ts'
import { withPool } from '../command-line/with-pool.ts'
import { writeJson } from '../command-line/write-output.ts'
import { askToReload } from './ask-to-reload.ts'
import { hasFailed, toJson, writeReport } from './write-report.ts'

/** `kopeck reload`: has the running processes sell by the file as it is now. */
export function createReloadProgram({ use, env, print }: CommandDeps): Command {
  return createProgram({
    use,
    about:
      'Checks the file of SERVICE_CONFIG, then has every process of the service on the database read it again: models, ' +
      'prices, upstreams and creation endpoints. With OPENAI_API_KEY it is the list of the upstream. What is wrong ' +
      'changes nothing. Exit status 1: a process has not taken it.\n\nKeys are read again from the .env of each process. One that is set outside .env takes a new start.',
  })
    .option('--json', 'print JSON')
    .action(reload)

  async function reload({ json = false }: { json?: boolean }): Promise<void> {
    const { file, checked } = await check()
    if (!checked.ok) throw new Error(`Nothing was changed: ${checked.problems.join('; ')}`)
    // A reload is no reason to migrate under processes that run.
    const { answers, silent } = await withPool({ env, migrates: false }, (pool) =>
      askToReload(pool),
    )
    const report = { answers, silent, file, digest: checked.digest }
    print(json ? writeJson(toJson(report)) : writeReport(report))
    if (hasFailed(report)) process.exitCode = 1
  }

  /** Reads what the processes are to read, and says what it is. */
  async function check() {
    const file = env.SERVICE_CONFIG
    if (file) return { file, checked: checkServiceFile(file) }
    const config = readConfig(env, ['service'])
    const { openAi } = config
    if (openAi === undefined) {
      throw new Error('SERVICE_CONFIG is not set here: name the file that the processes read')
    }
    const { upstream: proxies } = openProxies(config)
    const checked = await readOffer(openAi, new AbortController().signal, proxies)
    return { file: `The list of ${new URL(openAi.baseUrl).host}`, checked }
  }
}
