/** Half-tones of a major pentatonic scale over two octaves: no two of them sound wrong together. */
const SCALE = [0, 2, 4, 7, 9, 12, 14, 16, 19, 21, 24]
const LOWEST_HERTZ = 220
const NOTE_SECONDS = 0.3
/** Loudness of the first partials; together they never go over full scale. */
const PARTIALS = [0.5, 0.18, 0.08]
const ATTACK_SECONDS = 0.015
const HALF_LIFE_SECONDS = 0.12
/** An end without it clicks. */
const FADE_SECONDS = 0.05
const FULL_SCALE = 32_767

export interface Melody {
  notes: readonly number[]
  duration: number
  samplesPerSecond: number
}

/** Plays notes one after the other like a music box. @returns Exactly `duration` × `samplesPerSecond` samples. */
export function playMelody({ notes, duration, samplesPerSecond }: Melody): Int16Array {
  const samples = new Int16Array(Math.round(duration * samplesPerSecond))
  // Each sound is worked out once: working out 30 s of them would hold up every stream for a quarter of a second.
  const sounds = SCALE.map((halfTones) => playNote(halfTones, samplesPerSecond))
  for (let from = 0, index = 0; from < samples.length; index++) {
    const note = notes[index % notes.length] ?? 0
    const sound = sounds[note % sounds.length] ?? new Int16Array(1)
    samples.set(sound.subarray(0, samples.length - from), from)
    from += sound.length
  }
  fadeOut(samples, Math.round(FADE_SECONDS * samplesPerSecond))
  return samples
}

function playNote(halfTones: number, samplesPerSecond: number): Int16Array {
  const hertz = LOWEST_HERTZ * 2 ** (halfTones / 12)
  return Int16Array.from({ length: Math.round(NOTE_SECONDS * samplesPerSecond) }, (_, index) => {
    const seconds = index / samplesPerSecond
    return Math.round(FULL_SCALE * envelope(seconds) * tone(hertz, seconds))
  })
}

/** The end may cut a note in two. */
function fadeOut(samples: Int16Array, length: number): void {
  const start = Math.max(0, samples.length - length)
  for (let index = start; index < samples.length; index++) {
    samples[index] = ((samples[index] ?? 0) * (samples.length - index)) / length
  }
}

function envelope(seconds: number): number {
  const attack = Math.min(1, seconds / ATTACK_SECONDS)
  const release = Math.min(1, (NOTE_SECONDS - seconds) / ATTACK_SECONDS)
  return attack * release * 0.5 ** (seconds / HALF_LIFE_SECONDS)
}

function tone(hertz: number, seconds: number): number {
  let sum = 0
  for (const [index, loudness] of PARTIALS.entries()) {
    sum += loudness * Math.sin(2 * Math.PI * hertz * (index + 1) * seconds)
  }
  return sum
}
