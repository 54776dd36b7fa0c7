import { createAccountProgram } from '../../../src/cli/account/account.ts'

/**
 * Runs `kopeck account` in this process on a database.
 *
 * @returns What it printed.
 * @throws {Error} With the sentence that it would write to standard error.
 */
export async function runAccount(databaseUrl: string, ...args: string[]): Promise<string> {
  const printed: string[] = []
  const program = createAccountProgram({
    use: 'kopeck account',
    env: { DATABASE_URL: databaseUrl, TIME_ZONE: 'UTC' },
    print: (text) => printed.push(`${text}\n`),
  })
  await program.parseAsync(args, { from: 'user' })
  return printed.join('')
}
