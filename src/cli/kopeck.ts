/** `kopeck SUBCOMMAND`, as `src/kopeck.js` starts it. Only what the subcommand needs is loaded. */
const [name = '', ...args] = process.argv.slice(2)
const asksHelp = args.some((arg) => arg === '--help' || arg === '-h')

// What reads the arguments of the commands takes a megabyte, which a server would hold for good.
if (name === 'start' && !asksHelp) {
  const { start } = await import('../main.ts')
  await start(args)
} else {
  const { runKopeck } = await import('./run-kopeck.ts')
  await runKopeck(name, args)
}
