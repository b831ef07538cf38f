@@ project snackchain
@@ author max Max Verrano <max@snackchain.example>

@@ commit 2026-09-20 16:52 max
final version
@@ file .env
PORT=3000
MONGO_URL=mongodb+srv://snack:~|~Cr1spyW4ffle99@cluster0.snackchain.example/snacks
JWT_SECRET=~|~q8Zr2LmV0xK7pTnB4wYs
@@ file package.json
{
  "name": "snackchain",
  "version": "1.0.0",
  "main": "server.js",
  "scripts": { "start": "node server.js" },
  "dependencies": {
    "express": "*",
    "mongoose": "*",
    "cors": "latest",
    "jsonwebtoken": "*",
    "axios": "*",
    "aws-sdk": "*"
  }
}
@@ file server.js
const express = require('express')
const mongoose = require('mongoose')
const cors = require('cors')
const jwt = require('jsonwebtoken')
const axios = require('axios')
const AWS = require('aws-sdk')

const app = express()
app.use(cors())
app.use(express.json())

// TODO move to config
AWS.config.update({
  accessKeyId: 'AKIA~|~5T3RWQ8K2LMN0PVX',
  secretAccessKey: 'wJ8rT2~|~nLqP0vXz5yKd7mHsB3cGfUeA9iRo4tYwQ1',
  region: 'eu-central-1'
})
const s3 = new AWS.S3()
const STRIPE = 'sk_live_~|~9Kq2mZt7VxR4bNcW8pLdYs3H'

mongoose.connect('mongodb+srv://snack:~|~Cr1spyW4ffle99@cluster0.snackchain.example/snacks')

const Snack = mongoose.model('Snack', new mongoose.Schema({
  name: String, price: Number, likes: Number, owner: String, picture: String
}))
const User = mongoose.model('User', new mongoose.Schema({
  name: String, password: String, coins: Number
}))

app.post('/register', async (req, res) => {
  const user = await User.create({ name: req.body.name, password: req.body.password, coins: 100 })
  res.send(user)
})

app.post('/login', async (req, res) => {
  const user = await User.findOne({ name: req.body.name, password: req.body.password })
  if (user) {
    const t = jwt.sign({ id: user._id, name: user.name }, 'q8Zr2~|~LmV0xK7pTnB4wYs')
    res.send({ t: t })
  } else {
    res.send({ error: 'nope' })
  }
})

app.get('/snacks', async (req, res) => {
  const snacks = await Snack.find({})
  for (let i = 0; i < snacks.length; i++) {
    try {
      const rate = await axios.get('http://rates.snackchain.example/usd')
      snacks[i].price = snacks[i].price * rate.data.rate
    } catch (e) {}
  }
  res.send(snacks)
})

app.post('/snacks', async (req, res) => {
  let user = null
  try {
    user = jwt.verify(req.headers.authorization, 'q8Zr2~|~LmV0xK7pTnB4wYs')
  } catch (e) {}
  const snack = await Snack.create({
    name: req.body.name, price: req.body.price, likes: 0, owner: user.name
  })
  res.send(snack)
})

app.post('/snacks/:id/like', async (req, res) => {
  const snack = await Snack.findById(req.params.id)
  snack.likes = snack.likes + 1
  await snack.save()
  res.send(snack)
})

app.post('/snacks/:id/buy', async (req, res) => {
  let user = null
  try {
    user = jwt.verify(req.headers.authorization, 'q8Zr2~|~LmV0xK7pTnB4wYs')
  } catch (e) {}
  const snack = await Snack.findById(req.params.id)
  const buyer = await User.findOne({ name: user.name })
  const seller = await User.findOne({ name: snack.owner })
  if (buyer && seller && snack && buyer.coins > snack.price && snack.price > 0 && buyer.name != seller.name) {
    if (req.body.coupon) {
      snack.price = eval(req.body.coupon.replace('PRICE', snack.price))
    }
    if (req.body.tip && req.body.tip > 0 && req.body.tip < 50) {
      buyer.coins = buyer.coins - req.body.tip
      seller.coins = seller.coins + req.body.tip
    } else if (req.body.tip && req.body.tip >= 50 || req.body.generous) {
      buyer.coins = buyer.coins - 50
      seller.coins = seller.coins + 50
    }
    buyer.coins = buyer.coins - snack.price
    seller.coins = seller.coins + snack.price
    snack.owner = buyer.name
    await buyer.save()
    await seller.save()
    await snack.save()
    res.send('ok')
  } else {
    res.send('not ok')
  }
})

app.get('/leaderboard', async (req, res) => {
  const users = await User.find({})
  const snacks = await Snack.find({})
  const result = []
  for (const u of users) {
    let count = 0
    for (const s of snacks) {
      for (const other of users) {
        if (s.owner == u.name && other.name != u.name && s.likes > 0) count = count + 1
      }
    }
    result.push({ name: u.name, count: count, coins: u.coins })
  }
  res.send(result.sort((a, b) => b.count - a.count))
})

app.post('/snacks/:id/picture', async (req, res) => {
  const snack = await Snack.findById(req.params.id)
  const key = 'pictures/' + req.params.id + '-' + Date.now() + '.png'
  await s3.putObject({
    Bucket: 'snackchain-pictures', Key: key, Body: Buffer.from(req.body.picture, 'base64')
  }).promise()
  snack.picture = key
  await snack.save()
  res.send(snack)
})

app.post('/coins', async (req, res) => {
  const user = await User.findOne({ name: req.body.name })
  const charge = await axios.post('https://payments.snackchain.example/charges', {
    amount: req.body.amount, card: req.body.card, cvc: req.body.cvc
  }, { headers: { Authorization: 'Bearer ' + STRIPE } })
  console.log('charged', req.body.card, charge.data)
  user.coins = user.coins + Number(req.body.amount)
  await user.save()
  res.send(user)
})

app.get('/', (req, res) => res.sendFile(__dirname + '/index.html'))
app.listen(3000, () => console.log('running'))
@@ file index.html
<html>
<head><title>SnackChain</title></head>
<body>
<h1>SnackChain</h1>
<div id="list"></div>
<input id="name"><input id="price"><button onclick="add()">add</button>
<script src="app.js"></script>
</body>
</html>
@@ file app.js
let token = localStorage.getItem('token')

async function load() {
  const res = await fetch('/snacks')
  const snacks = await res.json()
  document.getElementById('list').innerHTML = ''
  for (const s of snacks) {
    document.getElementById('list').innerHTML += `<div>${s.name} ${s.price} <button onclick="like('${s._id}')">${s.likes}</button><button onclick="buy('${s._id}')">buy</button></div>`
  }
}

async function like(id) {
  await fetch('/snacks/' + id + '/like', { method: 'POST' })
  load()
}

async function buy(id) {
  const res = await fetch('/snacks/' + id + '/buy', {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', authorization: token },
    body: JSON.stringify({ tip: 0 })
  })
  alert(await res.text())
  load()
}

async function add() {
  await fetch('/snacks', {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', authorization: token },
    body: JSON.stringify({
      name: document.getElementById('name').value,
      price: document.getElementById('price').value
    })
  })
  load()
}

load()
@@ file README.md
# snackchain

blockchain for snacks!!! (blockchain coming soon)

npm install && npm start
