import nonfat as nf
from nonfat.evaluation.weather import load_weather

table = load_weather("1d")  # station, variable, time, value: 2013 in daily means
train, gaps = nf.random_split(table.height, 0.1, seed=0)

model = nf.NONFAT(modes=["station", "variable"], time="time", value="value", rank=3, epochs=100)
model.fit(table[train])
print(model.summary())

print(model.predict(table[gaps], level=95).head(3))
for name, score in model.evaluate(table[gaps]).items():
    print(f"{name:15s} {score:.3f}")

print(model.trajectories("station", entities=["JFK"]).head(3))
model.plot.trajectories("station").savefig("stations.png")

model.save("weather.nonfat")
again = nf.load("weather.nonfat")
print(again.predict(table[gaps]).equals(model.predict(table[gaps])))
