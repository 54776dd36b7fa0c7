/**
 * Loaded before the program by `--import`: each SIGUSR2 sets the clock of the process CLOCK_SHIFT_MS off,
 * or right again. What is measured by the monotonic clock, timers included, goes on as ever.
 */
const TrueDate = Date
const shiftMs = Number(process.env.CLOCK_SHIFT_MS)
let isOff = false

const now = () => TrueDate.now() + (isOff ? shiftMs : 0)

globalThis.Date = new Proxy(TrueDate, {
  construct: (target, args, newTarget) =>
    Reflect.construct(target, args.length === 0 ? [now()] : args, newTarget),
  apply: () => new TrueDate(now()).toString(),
  get: (target, key) => (key === 'now' ? now : Reflect.get(target, key)),
})

process.on('SIGUSR2', () => {
  isOff = !isOff
})
