// Runs in the page of scripts/manual-film.ts: draws the film at a time, records it in real time.
globalThis.film = function film({ words, steps, seconds }) {
  const canvas = document.createElement('canvas')
  canvas.width = 960
  canvas.height = 540
  document.body.append(canvas)
  const draw = canvas.getContext('2d')
  const rounded = (x, y, width, height, colour) => {
    draw.fillStyle = colour
    draw.beginPath()
    draw.roundRect(x, y, width, height, 12)
    draw.fill()
  }
  const text = (shown, x, y, size, colour) => {
    draw.fillStyle = colour
    draw.font = `600 ${size}px "Liberation Sans", sans-serif`
    draw.textAlign = 'center'
    draw.fillText(shown, x, y)
  }
  const show = (second) => {
    const step = Math.min(4, Math.max(0, (second - 1) / 2.2))
    draw.fillStyle = '#0f1615'
    draw.fillRect(0, 0, 960, 540)
    text('A row of masks becomes a sentence', 480, 110, 34, '#e6eeec')
    const done = Math.floor(step)
    text(done === 0 ? 'all places are masked' : `after step ${done} of 4`, 480, 165, 22, '#a5b5b1')
    words.forEach((word, i) => {
      const x = 36 + i * 112
      const at = steps[i] ?? 0
      const known = done >= at
      const fresh = known && step < at + 0.45
      rounded(x, 230, 102, 80, known ? (fresh ? '#6fdcc4' : '#143a33') : '#2f3c39')
      if (known) text(word, x + 51, 281, 25, fresh ? '#0f1615' : '#e6eeec')
      else text('▒▒▒', x + 51, 281, 25, '#5c6d69')
    })
    const set = steps.filter((at) => done >= at).length
    text(`${set} of ${words.length} tokens in ${done} steps`, 480, 400, 24, '#6fdcc4')
    text('one token at a time would need 8 steps', 480, 445, 20, '#a5b5b1')
  }
  const still = () => {
    show(5.6)
    return canvas.toDataURL('image/png')
  }
  const record = async () => {
    const recorder = new MediaRecorder(canvas.captureStream(25), {
      mimeType: 'video/webm;codecs=vp9',
      videoBitsPerSecond: 250_000,
    })
    const parts = []
    recorder.addEventListener('dataavailable', (event) => parts.push(event.data))
    const ended = new Promise((resolve) => recorder.addEventListener('stop', resolve, { once: true }))
    const began = performance.now()
    recorder.start()
    await new Promise((resolve) => {
      const next = () => {
        const second = (performance.now() - began) / 1000
        if (second > seconds) return resolve()
        show(second)
        setTimeout(next, 40)
      }
      next()
    })
    recorder.stop()
    await ended
    const bytes = new Uint8Array(await new Blob(parts).arrayBuffer())
    let binary = ''
    for (const byte of bytes) binary += String.fromCharCode(byte)
    return btoa(binary)
  }
  return record().then((webm) => ({ webm, png: still() }))
}
